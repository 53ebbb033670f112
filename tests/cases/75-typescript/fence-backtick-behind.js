```a`;
return 1;
