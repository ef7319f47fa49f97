"""The seconds per token of the fastest run, if every token is the right one."""

import numpy as np
from mlbench_grading import Invalid, load_array, main


def grade(workspace: str, hidden: str, seconds: list[float]) -> float:
    answers = np.load(f"{hidden}/answers.npy", allow_pickle=False)
    found = load_array(f"{workspace}/tokens.npy", answers.shape, kinds="iu")
    other = np.argwhere(found != answers)
    if len(other):
        prompt, token = other[0]
        raise Invalid(f"tokens.npy: {len(other)} tokens are other ones; the first is token {token} of prompt {prompt}")
    return min(seconds) / answers.size


main(grade)
