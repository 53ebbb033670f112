const live = "y".repeat(3600000);
for (let i = 0; i < 3000; i++) {
  ({});
}
(() => {
  const ring = { text: "z".repeat(120000) };
  ring.self = ring;
})();
const { text } = await tools.large({});
return text.length + live.length > 3700000;
