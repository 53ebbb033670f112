return [() => atob("a"), () => atob("YQ="), () => atob("Y*=="), () => btoa("€")].map((f) => {
  try {
    return f();
  } catch (e) {
    return e.name + " " + e.code + " " + (e instanceof DOMException);
  }
});
