Promise.reject({ get message() { for (;;); } });
return 7;
