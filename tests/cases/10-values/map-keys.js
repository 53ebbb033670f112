return new Map([[1, "a"], [{ k: 1 }, new Map([[2, 3]])]]);
