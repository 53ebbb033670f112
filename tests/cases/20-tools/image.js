return (await tools.shot({})).content;
