const all = await Promise.all(Array.from({ length: 10000 }, (_, i) => sleep(i % 50).then(() => i)));
return all.every((n, i) => n === i);
