return [...new URLSearchParams("?a=1&b=%20+%2B&a=2&&=x&c&%zz=%E4%BD%A0")];
