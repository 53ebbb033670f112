return "h\u00e9llo \u{1F600} \u0000";
