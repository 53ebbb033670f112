const e = new Error();
e.code = "E42";
e.detail = { at: [1, 2] };
throw e;
