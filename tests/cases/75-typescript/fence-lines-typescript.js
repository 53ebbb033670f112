```ts
interface A {
  b: number;
}
throw new Error("at 5");
```
