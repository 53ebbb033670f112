const out = [];
try { URL("http://a"); } catch (e) { out.push(e.name); }
try { new URL(); } catch (e) { out.push(e.name); }
try { URL.prototype.href; } catch (e) { out.push(e.name); }
const d = Object.getOwnPropertyDescriptor(globalThis, "URL");
return [out, Object.prototype.toString.call(new URL("a:")), URL.length, URL.name, d.enumerable, d.writable, d.configurable, Object.getOwnPropertyDescriptor(URL.prototype, "href").enumerable, Object.keys(new URL("a:"))];
