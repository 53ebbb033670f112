console.log(new URL("http://u@h:8/p?q=1#f"));
