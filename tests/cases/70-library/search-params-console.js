console.log(new URLSearchParams("a=1&b=x y"), [new URLSearchParams()]);
