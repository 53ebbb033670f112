const said = [];
for (const made of ["text", [1], null, undefined, 5]) {
  try {
    await tools.a({ toJSON: () => made });
  } catch (e) {
    said.push(e.name);
  }
}
await tools.a({ toJSON: () => ({ fine: 1 }) });
return said;
