return new (class { x = 1; #y = 2; get z() { return 3; } })();
