require("fs");
