return (await tools.say({})).data;
