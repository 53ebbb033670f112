~~~~ javascript
return `~~~`;
~~~~
