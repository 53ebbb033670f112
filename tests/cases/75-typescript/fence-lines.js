
```js
function f() {
  throw new Error("at 4");
}
f();
```
