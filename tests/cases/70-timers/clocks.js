const a = performance.now();
await sleep(5);
const b = performance.now();
const away = Math.abs(performance.timeOrigin + performance.now() - Date.now());
return [a >= 0, b > a, away < 1000, performance.timeOrigin === performance.timeOrigin,
        Number.isFinite(performance.toJSON().timeOrigin)];
