function run() {
  eval("\n\nthrow new Error('inside')");
}
run();
