"""The squares of numbers, one by one."""

import numpy as np

numbers = np.load("inputs.npy")
squares = np.zeros(len(numbers))
for _ in range(10):
    for place in range(len(numbers)):
        squares[place] = numbers[place] * numbers[place]
np.save("output.npy", squares)
