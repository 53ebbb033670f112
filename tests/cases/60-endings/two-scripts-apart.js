globalThis.count = (globalThis.count ?? 0) + 1;
Object.prototype.left = 1;
return globalThis.count;
