const s = "añ€😀".repeat(100000);
const b = new TextEncoder().encode(s);
return [b.length, new TextDecoder().decode(b) === s];
