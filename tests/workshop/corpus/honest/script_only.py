"""A script without a function: it does its work at once."""

import math

table = [(n, math.factorial(n)) for n in range(6)]
for number, value in table:
    print(number, value)
print("sum", sum(value for _, value in table))
