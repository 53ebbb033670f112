return "";
