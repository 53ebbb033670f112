return new URL(" \n ht\ttp://ex\nample.com/a\tb \n").href;
