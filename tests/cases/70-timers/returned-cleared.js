const timer = setTimeout(() => text("never"), 30);
clearTimeout(timer);
return "done";
