const answers = await Promise.all([tools.a({ n: 1 }), tools.a({ n: 2 })]);
text(answers.length);
