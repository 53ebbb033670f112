const r = await tools.rm({ path: "x" });
return [r.isError, r.text];
