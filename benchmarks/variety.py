"""How varied the instructions of a suite are: figures for `benchmarks/dataset.py`, and a table on its own.

    python benchmarks/variety.py [SUITE]

Every figure is of one split, on a seeded sample. `templates` measures the same rows as they would be without a wording:
one of the recipe's templates, filled in.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Hashable, Sequence
from statistics import fmean

from mlbench.prompts.tokens import counter
from mlbench.records import Sample
from mlbench.results.analyses.distances import edit_distance
from mlbench.results.analyses.statistics import diversity, guessed_task
from mlbench.suites.leaks import skeleton
from mlbench.suites.rows import TEST_TEMPLATES
from mlbench.suites.suite import Suite, load_suite

SAMPLED = 300
"""Rows whose nearest neighbour is looked for; all rows of the same task are compared with each."""
ALIKE = 0.9
PAPER = {"mean_tokens": 80.4, "most_tokens": 216, "distance_within": 258.7, "distance_across": 302.1}
"""Table 10 of the paper, over all its instructions."""


def figures(rows: Sequence[Sample], seed: int = 0) -> dict[str, float]:
    """Every figure of some rows, each rounded to a tenth or a thousandth.

    Args:
        rows: the rows of one split.
        seed: of the samples.
    """
    found = diversity(rows, counter("estimate").count, seed)
    nearest = nearest_similarities(rows, seed)
    return {
        "rows": len(rows),
        "mean_tokens": round(found.average_tokens, 1),
        "most_tokens": found.most_tokens,
        "distance_within": round(found.within.characters or 0, 1),
        "distance_across": round(found.across.characters or 0, 1),
        "word_types": len(vocabulary(rows)),
        "nearest_mean": round(fmean(nearest), 3),
        "nearest_alike": round(sum(each >= ALIKE for each in nearest) / len(nearest), 3),
        "skeletons": round(len({skeleton(row.instruction) for row in rows}) / len(rows), 3),
    }


def vocabulary(rows: Sequence[Sample]) -> set[str]:
    """The different words of the instructions, in lower case; numbers and paths are no words."""
    words = re.compile(r"(?<![\w./\\-])[^\W\d_]+(?:[-'][^\W\d_]+)*(?![\w/\\]|\.\w)")
    return {word.lower() for row in rows for word in words.findall(row.instruction)}


def nearest_similarities(rows: Sequence[Sample], seed: int = 0, sampled: int = SAMPLED) -> list[float]:
    """For a sample of rows, how alike the most similar other row of its task is.

    Similarity is 1 minus the edit distance in characters over the longer length.

    Args:
        rows: the rows.
        seed: of the sample.
        sampled: the number of rows in the sample.
    """
    tasks: dict[Hashable, list[Sample]] = defaultdict(list)
    for row in rows:
        tasks[guessed_task(row)].append(row)
    chosen = random.Random(seed).sample(list(rows), min(sampled, len(rows)))
    return [
        max(
            (similarity(row.instruction, each.instruction) for each in tasks[guessed_task(row)] if each is not row),
            default=0,
        )
        for row in chosen
    ]


def similarity(one: str, other: str) -> float:
    """1 for equal texts, 0 for texts without a common character."""
    return 1 - edit_distance(one, other) / max(len(one), len(other), 1)


def without_wording(suite: Suite) -> dict[str, list[Sample]]:
    """The suite's training rows as its templates alone would word them."""
    from dataclasses import replace

    splits: dict[str, list[Sample]] = {}
    for split in ("id_train", "ood_train"):
        splits[split] = []
        for row in suite.splits[split]:
            origin = row.origin
            if origin is None:
                continue
            rng = random.Random(row.id)
            said = {name: rng.choice(origin.recipe.said[name][words]) for name, words in origin.combination.items()}
            template = rng.choice(origin.recipe.instructions[TEST_TEMPLATES:])
            splits[split].append(replace(row.sample, instruction=origin.recipe.render_instruction(template, said)))
    return splits


def main() -> None:
    """Print the figures of every split, with and without the wordings, beside the paper's."""
    suite = load_suite(sys.argv[1] if len(sys.argv) > 1 else "ml-bench")
    table = {split: figures([row.sample for row in suite.splits[split]]) for split in ("full", "id_train", "ood_train")}
    table |= {f"{split}, templates": figures(rows) for split, rows in without_wording(suite).items()}
    print(json.dumps({**table, "paper": PAPER}, indent=1))


if __name__ == "__main__":
    main()
