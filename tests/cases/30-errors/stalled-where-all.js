async function* rows() {
  yield 1;
  await new Promise(() => {});
}
const object = { async method() { for await (const x of rows()) text(x); } };
const wait = async () => { await new Promise(() => {}); };
const other = async () => { await new Promise(() => {}); };
const third = async () => {
  await new Promise(() => {});
};
await Promise.all([object.method(), wait(), wait(), wait(), other(), third()]);
