const x: number = 1;
}); (async () => {
