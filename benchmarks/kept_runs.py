"""Results of a long benchmark's single runs, kept as they are measured: a benchmark that was stopped goes on."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.record import RESULTS


class KeptRuns:
    """Runs by key, one JSON line each in `benchmarks/results/NAME.jsonl`.

    Args:
        name: of the benchmark.
        minutes: after which no further run is begun; None for no limit.
        folder: in which the file is kept.
        again: forget what was kept before.
    """

    def __init__(self, name: str, minutes: float | None = None, folder: Path = RESULTS, again: bool = False) -> None:
        self._file = folder / f"{name}.jsonl"
        self._until = None if minutes is None else time.monotonic() + 60 * minutes
        self._runs: dict[str, dict[str, Any]] = {}
        self.missing = 0
        if again:
            self._file.unlink(missing_ok=True)
        if self._file.is_file():
            *lines, cut_off = self._file.read_text().split("\n")
            if cut_off:
                self._file.write_text("".join(f"{line}\n" for line in lines))
            for line in lines:
                run = json.loads(line)
                self._runs[run.pop("key")] = run

    def get(self, key: str) -> dict[str, Any] | None:
        """Return a run that was kept."""
        return self._runs.get(key)

    def may_begin(self) -> bool:
        """Return whether there is time for a further run; a refused one is counted as missing."""
        if self._until is None or time.monotonic() < self._until:
            return True
        self.missing += 1
        return False

    def keep(self, key: str, run: Mapping[str, Any]) -> None:
        """Append a run to the file."""
        self._runs[key] = dict(run)
        self._file.parent.mkdir(exist_ok=True)
        with self._file.open("a") as file:
            file.write(json.dumps({"key": key, **run}) + "\n")


def digest_of(*places: Path) -> str:
    """The first digits of the SHA-256 over files, and over all files of folders."""
    found = hashlib.sha256()
    for place in places:
        files = [place] if place.is_file() else sorted(each for each in place.rglob("*") if each.is_file())
        for file in files:
            if "__pycache__" not in file.parts:
                found.update(str(file.relative_to(place)).encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()[:16]
