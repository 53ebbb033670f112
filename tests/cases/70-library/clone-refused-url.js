return [new URL("a:"), new URLSearchParams(), new TextDecoder(), crypto, new AbortController(), new Event("x")].map((x) => {
  try {
    structuredClone(x);
    return "no";
  } catch (e) {
    return e.name + " " + e.message;
  }
});
