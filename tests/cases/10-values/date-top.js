return new Date(0);
