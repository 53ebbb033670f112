const u = new URL("http://a");
return [JSON.stringify({ u }), `${u}`, u + ""];
