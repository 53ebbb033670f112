for (;;) text("flood");
