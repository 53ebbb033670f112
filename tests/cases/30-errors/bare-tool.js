return await read_text({ path: "x" });
