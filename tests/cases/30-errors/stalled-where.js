const never = new Promise(() => {});

const x = await never;
return x;
