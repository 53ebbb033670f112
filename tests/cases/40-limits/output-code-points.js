text("\u{1F600}".repeat(10) + "\u{1F601}".repeat(10));
