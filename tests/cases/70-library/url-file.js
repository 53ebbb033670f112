return ["file:///C|/a/../..", "file://localhost/x", "file:///a//b", "file://host/x", "file:c:\\x"].map((x) => new URL(x).href);
