wake_agent("first");
wake_agent("second");
return "done";
