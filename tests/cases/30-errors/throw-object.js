throw { code: 5, why: "because" };
