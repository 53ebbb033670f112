const error = new Error("outer");
error.cause = error;
throw error;
