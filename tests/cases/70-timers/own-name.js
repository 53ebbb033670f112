const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms, "mine"));
return await sleep(5);
