return async () => 1;
