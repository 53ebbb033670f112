text({ list: Array.from({ length: 20 }, (_, i) => "item " + i) });
