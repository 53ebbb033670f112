queueMicrotask(function again() { queueMicrotask(again); });
return { a: 1 };
