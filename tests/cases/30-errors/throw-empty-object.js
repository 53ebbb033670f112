throw {};
