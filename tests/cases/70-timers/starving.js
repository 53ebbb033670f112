let isOver = false;
let n = 0;
function again() {
  n++;
  if (!isOver) setTimeout(again, 0);
}
again();
await tools.a({});
isOver = true;
return n > 1;
