const p = new URLSearchParams("a=1&b=2&a=3");
const out = [p.get("a"), p.get("z"), p.getAll("a"), p.has("b"), p.has("b", "9"), p.size];
p.set("a", "9");
p.append("c", "x");
p.delete("b");
p.delete("c", "y");
return [...out, String(p)];
