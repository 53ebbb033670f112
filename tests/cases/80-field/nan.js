await tools.set({ size: { width: NaN } });
