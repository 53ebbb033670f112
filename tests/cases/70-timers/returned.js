setTimeout(() => text("never"), 30);
setInterval(() => text("never"), 30);
sleep(30).then(() => text("never"));
return "done";
