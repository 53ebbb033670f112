throw "just text";
