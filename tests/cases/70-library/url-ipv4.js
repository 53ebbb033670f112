return ["http://127.1", "http://0x7f.1", "http://0177.0.0.1", "http://2130706433", "http://192.168.257", "http://1.2.3.4."].map((x) => new URL(x).hostname);
