return String(new URLSearchParams([["a b", "~*-._!'()&=+é😀\n"]]));
