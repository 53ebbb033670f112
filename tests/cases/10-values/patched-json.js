JSON.stringify = () => '"forged"';
JSON.parse = () => "forged";
Object.keys = () => [];
return { a: 1 };
