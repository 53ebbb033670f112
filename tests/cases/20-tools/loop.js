let n = 0;
while (n < 5) {
  n = (await tools.inc({ n })).data;
}
return n;
