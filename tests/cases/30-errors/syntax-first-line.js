let = = 5;
