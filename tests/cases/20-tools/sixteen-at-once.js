const out = await Promise.all(Array.from({ length: 100 }, (_, i) => tools.sq({ i })));
return out.map((r) => r.data.i).join() === Array.from({ length: 100 }, (_, i) => i).join();
