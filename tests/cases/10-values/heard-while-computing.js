text("heard");
while (true) {
}
