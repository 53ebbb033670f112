const r = await tools.a({});
return [Object.entries(r.data), r.data.big === JSON.parse("12345678901234567890")];
