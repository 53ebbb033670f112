text("before");
const r = await sleep(30);
text("after");
return r === undefined;
