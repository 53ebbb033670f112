for (let i = 0; i < 100; i++) text("line " + String(i).padStart(2, "0"));
