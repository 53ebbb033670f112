return [ALL_TOOLS, typeof tools];
