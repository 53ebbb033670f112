await tools.a({ s: "\u00e9\u{1F600}\u0000\n", "k\u00e9y": 1 });
return 1;
