let tree = ["leaf"];
for (let i = 0; i < 26; i++) {
  tree = [tree, tree];
}
return JSON.stringify(tree).length;
