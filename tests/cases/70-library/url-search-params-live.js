const u = new URL("http://a/?x=1");
const p = u.searchParams;
p.append("y", "2 3");
const one = u.href;
u.search = "?n=1";
const two = p.get("n");
p.delete("n");
return [one, two, u.href, u.searchParams === p];
