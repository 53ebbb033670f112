tools.work({}); // nobody waits for it
while (true) {
}
