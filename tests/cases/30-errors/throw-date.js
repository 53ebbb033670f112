throw new Date(0);
