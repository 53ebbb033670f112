const code = `
import os
def f(x):
    return x
`;
return code.length;
