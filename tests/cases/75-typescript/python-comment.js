# count
x = 1
