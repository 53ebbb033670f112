const d = new Date(0);
return [(1.5).toLocaleString("de"), d.toLocaleString("en-US", { timeZone: "UTC" }), d.toLocaleDateString(), d.toLocaleTimeString(), 5n.toLocaleString(), [1, "a"].toLocaleString(), "I".toLocaleLowerCase("tr"), "i".toLocaleUpperCase()].map((x) => typeof x).concat("a".localeCompare("b"), typeof "ä".localeCompare("z", "de", { sensitivity: "base" }));
