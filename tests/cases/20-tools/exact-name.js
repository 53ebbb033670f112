const r = await tools["my server.tool-1 \u00e9"]({});
return r.text;
