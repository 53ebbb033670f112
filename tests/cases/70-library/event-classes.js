return [() => new AbortSignal(), () => new EventTarget().dispatchEvent({}), () => new Event(), () => AbortController()].map((f) => {
  try {
    f();
    return "no";
  } catch (e) {
    return e.name;
  }
}).concat(String(new Event("x")), String(new AbortController().signal));
