globalThis.count = (globalThis.count ?? 0) + 1;
return [globalThis.count, {}.left === undefined];
