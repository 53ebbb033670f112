const p = new URLSearchParams("z=1&a=2&z=0&ﬃ=3&🌈=4&a=1");
p.sort();
return [...p.keys()].join() + " " + [...p.values()].join();
