return (() => { const m = new Map(); m.set("self", m); return m; })();
