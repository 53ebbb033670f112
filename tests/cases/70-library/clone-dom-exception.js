const k = structuredClone(new DOMException("m", "AbortError"));
return [k.name, k.message, k.code, k instanceof DOMException];
