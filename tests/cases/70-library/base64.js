return [btoa(""), btoa("a"), btoa("\xff\0"), atob("YQ=="), atob(" Y Q "), atob("YWI"), atob(btoa("\xe9")) === "\xe9"];
