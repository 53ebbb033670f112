return (() => { const a = { list: [] }; a.list.push(a); return a; })();
