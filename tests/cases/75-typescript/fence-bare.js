

```
return 4;
```

