```js
let x = ;
```
