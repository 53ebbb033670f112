const dash = await tools["list-files"]({ n: 1 });
const line = await tools.list_files({ n: 2 });
return [dash.text, line.text];
