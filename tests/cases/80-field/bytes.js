const { content } = await tools.shot({});
return [content[0].type, content[0].mimeType, atob(content[0].data).length];
