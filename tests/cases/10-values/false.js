return false;
