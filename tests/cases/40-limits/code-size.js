return "this script is longer than its cap";
