"""Read what a script's run came to from the observation of Execute Script."""

from __future__ import annotations

import math
import re

_END = re.compile(r"exit code (-?\d+) after ([\d.]+) s$")
_LINE = re.compile(r"^\W*validation score\W*[:=]\W*?([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\W*$", re.I | re.M)
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def how_it_ended(observation: str) -> tuple[str, float]:
    """Return why a run failed, in a line (empty if it did not), and its seconds."""
    first, _, printed = observation.partition("\n")
    ended = _END.match(first)
    if ended and ended[1] == "0":
        return "", float(ended[2])
    if not ended:  # a limit, or a script that could not be run at all
        return first, 0.0
    last = next((line.strip() for line in reversed(printed.splitlines()) if line.strip()), "")
    return f"exit code {ended[1]}: {last}"[:300], float(ended[2])


def printed_score(observation: str) -> float | None:
    """Return the number of the last line `validation score: NUMBER`; None if there is none."""
    found = _LINE.findall(observation)
    score = float(found[-1]) if found else math.nan
    return score if math.isfinite(score) else None


def quoted_score(reply: str, observation: str) -> float | None:
    """Return the number that a reply reads from an output; None if it names none that stands there."""
    named = _NUMBER.search(reply)
    if named is None:
        return None
    score = float(named[0])
    there = {float(each) for each in _NUMBER.findall(observation)}
    return score if score in there and math.isfinite(score) else None
