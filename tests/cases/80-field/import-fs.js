import fs from "fs";
return fs.readFileSync("a");
