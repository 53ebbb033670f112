throw 12n;
