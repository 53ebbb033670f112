try {
  await sleep(3600000);
} finally {
  text("never");
}
