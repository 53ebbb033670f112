```typescript
const x: number = 5;
return x;
```
