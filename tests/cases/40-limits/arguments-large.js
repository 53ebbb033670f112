await tools.a({ s: "x".repeat(4 * 1024 * 1024 - 8) });
return "sent";
