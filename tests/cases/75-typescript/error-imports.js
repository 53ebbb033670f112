import fs from "fs";
const x: number = 1;
return x;
