await sleep(5);
