"""Samples of the pocket suite on which agents are tried.

Ten are chosen: one a repository, seven scripts and three programs. Three are drawn.
"""

from __future__ import annotations

CHOSEN: dict[int, str] = {
    21: "lichen, Python: the example stands in a second document, the package is not installed",
    35: "quillpress, script: absl flags, a value that the documents only describe",
    76: "lantern, Python: a question in quotes, a number in words",
    94: "mirage, script: no options in the README, only --help has them; a folder to change into",
    115: "reelshift, script: many choices, percents that are meant as a fraction",
    150: "peptideloom, Python: numbers in words, a model of several, parameters of two functions",
    157: "tidewatch, script: a command with many options that have to stay, two that belong together",
    180: "focalbench, script: names that only --help explains, a switch",
    207: "pointfold, script: an option whose name in the README is out of date",
    245: "cadenza, script: positional words and variables, which stand in a shell script",
}
"""The row's id in split `full`, and why it was chosen."""

DRAWN = (92, 62, 229)
"""`random.Random(18).sample(range(260), 3)`: the rows that every agent from npm has to solve."""
