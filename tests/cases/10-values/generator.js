return [(function* () {})(), new WeakMap()];
