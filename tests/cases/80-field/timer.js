await new Promise((done) => setTimeout(done, 10));
return "later";
