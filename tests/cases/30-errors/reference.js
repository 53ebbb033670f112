return notThere + 1;
