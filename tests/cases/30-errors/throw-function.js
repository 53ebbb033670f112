throw function boom() {};
