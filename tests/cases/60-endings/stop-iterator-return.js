const endless = {
  [Symbol.iterator]() { return this; },
  next() { return { done: false }; },
  return() { text("return"); tools.a({}); },
};
for (const _ of endless);
