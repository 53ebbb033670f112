throw false;
