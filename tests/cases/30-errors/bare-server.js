return await files.read({ path: "x" });
