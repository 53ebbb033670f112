const s = AbortSignal.timeout(5);
const any = AbortSignal.any([new AbortController().signal, s]);
await new Promise((resolve) => {
  const timer = setTimeout(resolve, 5000);
  any.addEventListener("abort", () => {
    clearTimeout(timer);
    resolve();
  });
});
return [any.aborted, any.reason.name, any.reason === s.reason];
