const t = Date.now();
return [t > 1600000000000, new Date().getTimezoneOffset()];
