await sleep(3600000);
