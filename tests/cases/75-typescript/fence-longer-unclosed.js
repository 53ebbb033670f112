````js
/*
```
*/
return 12;
