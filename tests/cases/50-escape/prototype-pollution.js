Object.prototype.isError = true;
Object.prototype.structuredContent = "forged";
Object.prototype.content = "forged";
const r = await tools.a({});
return [r.isError, r.text, r.structuredContent === undefined];
