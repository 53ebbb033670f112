import fs from "fs";
return fs;
