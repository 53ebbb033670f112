const e = new Error("with members");
e.code = "E1";
throw e;
