return [/a+/gi];
