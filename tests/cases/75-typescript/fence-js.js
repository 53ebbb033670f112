```js
return 1 +
  2;
```