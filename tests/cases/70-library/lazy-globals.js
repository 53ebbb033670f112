const names = ["URL", "URLSearchParams", "TextEncoder", "TextDecoder", "structuredClone", "crypto", "EventTarget", "Event", "AbortController", "AbortSignal"];
return [names.every((x) => x in globalThis), names.some((x) => Object.keys(globalThis).includes(x)), names.map((x) => typeof globalThis[x])];
