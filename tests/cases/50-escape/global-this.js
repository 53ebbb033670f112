const g = new Function("return this")();
return [g === globalThis, typeof g.tools, typeof g.process];
