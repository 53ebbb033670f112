const c = new AbortController();
const seen = [];
c.signal.addEventListener("abort", (e) => seen.push(e.type, e.target === c.signal));
c.signal.onabort = () => seen.push("on");
const before = c.signal.aborted;
c.abort();
c.abort("again");
try {
  c.signal.throwIfAborted();
} catch (e) {
  return [before, c.signal.aborted, seen, e.name, e.code, e === c.signal.reason, AbortSignal.abort("why").reason];
}
