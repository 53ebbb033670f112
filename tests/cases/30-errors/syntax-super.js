return super.x;
