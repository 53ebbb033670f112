const error = new TypeError("kept");
Object.defineProperty(error, "stack", { get() { for (;;) text("more"); } });
throw error;
