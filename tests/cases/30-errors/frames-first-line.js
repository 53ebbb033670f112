throw new Error("here");
