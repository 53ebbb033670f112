const r = await tools.rm({});
return r.isError;
