await { then() {} };
