return ["http://bücher.example", "http://日本語.jp", "http://ＡＢＣ.com", "http://faß.de", "http://☕.example", "http://xn--bcher-kva.example"].map((x) => new URL(x).hostname);
