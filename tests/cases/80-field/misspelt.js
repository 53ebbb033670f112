await tools.read_fil({ path: "a" });
