"""The perplexity of the characters that came next, by the distributions that were saved."""

import json

import numpy as np
from mlbench_grading import Invalid, load_array, main

FILE, NEAR = "log_probabilities.npy", 1e-3


def grade(workspace: str, hidden: str) -> float:
    with open(f"{hidden}/answers.json") as file:
        answers = json.load(file)
    place = {character: number for number, character in enumerate(answers["characters"])}
    right = [place[character] for character in answers["next"]]
    found = load_array(f"{workspace}/{FILE}", (len(right), len(place))).astype(np.float64)
    if found.max() > NEAR:
        raise Invalid(f"{FILE}: {found.max():.3g} is no logarithm of a probability")
    total = np.exp(found).sum(axis=1)
    worst = int(abs(total - 1).argmax())
    if abs(total[worst] - 1) > NEAR:
        raise Invalid(f"{FILE}: the probabilities of row {worst} make {total[worst]:.6g}, wanted is 1")
    sure = found[np.arange(len(right)), right] - np.log(total)
    return float(np.exp(min(-sure.mean(), 700.0)))


main(grade)
