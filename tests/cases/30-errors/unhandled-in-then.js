tools.a({}).then((r) => { throw new TypeError("after " + r.text); });
return 1;
