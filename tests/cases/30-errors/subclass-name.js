class Lost extends RangeError {}
throw new Lost("gone");
