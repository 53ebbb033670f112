let sum = 0;
for (let i = 0; i < 300; i++) {
  sum += (await tools.add({ i })).data.i;
}
return sum;
