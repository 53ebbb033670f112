return ["", "a", "é", "€", "😀", "\ud800x", "\0"].map((x) => [...new TextEncoder().encode(x)]);
