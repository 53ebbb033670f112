await tools.set({ filters: [(row) => row.n > 1] });
