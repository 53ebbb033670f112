return ALL_TOOLS;
