"""What the settings cost on the real repositories: retrieval and code contexts for the 260 test rows of `ml-bench`.

Must hold: retrieval from checkouts without an index is at least 50 times faster than the published procedure (for each
row read the repository's text, split all of it into sentences, build BM25Okapi over the spans of the first 1,000), and
takes 5 ms a row afterwards, in 1 GiB at most; it shows the span of the published procedure for every row (files read
shallow before deep, where that procedure takes the order of the disk);
code contexts of 128,000 tokens take 60 s at first and 5 s afterwards.

Seconds are those of the processor. The published procedure is measured for the first test row of each repository, with
the same splitter, and counted for each of its rows; that its text file has to be made first is not counted. Ours counts
everything after the checkouts are verified: reading, splitting, indexing, writing, searching and rendering.

    mlbench repos fetch && python -m benchmarks.settings
"""

from __future__ import annotations

import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from benchmarks.record import Figure, record
from mlbench.prompts.context import Context
from mlbench.prompts.retrieval import retrieve
from mlbench.prompts.sentences import split
from mlbench.prompts.settings import known_setting, render
from mlbench.records import Sample
from mlbench.repositories.cache import cache_folder
from mlbench.suites.suite import load_split, load_suite

SUITE = "ml-bench"
WIDTH, SENTENCES = 10, 1000


def crawled(folder: Path) -> str:
    """The published text of a repository: READMEs, then all other files that are UTF-8, each under its path."""
    parts: tuple[list[str], list[str]] = ([], [])
    files = [path for path in folder.rglob("*") if path.is_file()]
    for file in sorted(files, key=lambda path: (len(path.parts), path.as_posix())):
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        parts["README" not in file.name.upper()].append(f"\n=== {file.relative_to(folder)} ===\n{text}\n")
    return "".join(parts[0] + parts[1])


def okapi(documents: Sequence[list[str]], query: Sequence[str]) -> int:
    """BM25Okapi as rank_bm25 builds and asks it (k1 1.5, b 0.75, epsilon 0.25), written out."""
    import numpy as np

    frequencies = [Counter(document) for document in documents]
    containing: Counter[str] = Counter()
    for frequency in frequencies:
        containing.update(frequency.keys())
    count, average = len(documents), sum(map(len, documents)) / len(documents)
    idf = {word: math.log(count - n + 0.5) - math.log(n + 0.5) for word, n in containing.items()}
    floor = 0.25 * sum(idf.values()) / len(idf)
    lengths, scores = np.array([len(document) for document in documents]), np.zeros(count)
    for word in query:
        found = np.array([frequency[word] for frequency in frequencies])
        weight = idf.get(word, 0.0)
        weight = weight if weight >= 0 else floor
        scores += weight * (found * 2.5 / (found + 1.5 * (0.25 + 0.75 * lengths / average)))
    return int(np.argmax(scores))


def published(row: Sample, file: Path) -> float:
    """Seconds of the published procedure for one row."""
    began = time.process_time()
    text = file.read_text(encoding="utf-8")
    sentences = [text[place] for place in split(text)][:SENTENCES]
    spans = [" ".join(sentences[first : first + WIDTH]).split() for first in range(len(sentences))]
    okapi(spans, row.instruction.split())
    return time.process_time() - began


def all_published() -> float:
    """Seconds of the published procedure for all test rows."""
    suite, rows = load_suite(SUITE), load_split(SUITE, "full")
    total = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        for github_id, count in Counter(row.github_id for row in rows).items():
            file = Path(scratch, f"{github_id}.txt")
            file.write_text(crawled(suite.folder(suite.repository_of(github_id).name)), encoding="utf-8")
            total += count * published(next(row for row in rows if row.github_id == github_id), file)
    return total


def equal_spans() -> float:
    """Per cent of the test rows for which `retrieval` shows the text of the published procedure."""
    suite, rows = load_suite(SUITE), load_split(SUITE, "full")
    equal = 0
    for github_id in {row.github_id: None for row in rows}:
        folder = suite.folder(suite.repository_of(github_id).name)
        text = crawled(folder)
        sentences = [text[place] for place in islice(split(text), SENTENCES)]
        spans = [" ".join(sentences[first : first + WIDTH]).split() for first in range(len(sentences))]
        for row in (row for row in rows if row.github_id == github_id):
            theirs = " ".join(spans[okapi(spans, row.instruction.split())])
            ours = retrieve(row.instruction, folder, Context()).documents
            equal += _without_paths(theirs) == " ".join(document.text for document in ours)
    return equal / len(rows) * 100


def _without_paths(span: str) -> str:
    """A span without the lines that name files; ours shows each file's text under its path."""
    return " ".join(re.sub(r"(?:^|(?<= ))=== [^=]+ ===(?= |$)", " ", span).split())


def contexts(setting: str) -> None:
    """Make the prompts of all test rows; print the seconds and the peak memory (for the process that asked)."""
    suite, rows = load_suite(SUITE), load_split(SUITE, "full")
    folders = {row.github_id: suite.folder(suite.repository_of(row.github_id).name) for row in rows}
    began = time.process_time()
    shown = 0
    for row in rows:
        shown += render(row, folders[row.github_id], "", known_setting(setting), Context()).oracle.whole
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak": peak, "shown": shown / len(rows)}))


def measured(setting: str, cache: str) -> dict[str, float]:
    env = {**os.environ, "MLBENCH_CACHE": cache}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.settings", setting],
        env=env,
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(done.stderr[-2000:])
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> bool:
    with tempfile.TemporaryDirectory() as cache:  # the checkouts as they are, and nothing else
        Path(cache, "repositories").symlink_to(cache_folder("repositories"))
        runs = {(setting, when): measured(setting, cache) for setting in ("retrieval", "code") for when in "12"}
    theirs, rows = all_published(), len(load_split(SUITE, "full"))
    first, again = runs["retrieval", "1"], runs["retrieval", "2"]
    code, code_again = runs["code", "1"], runs["code", "2"]
    peak = max(run["peak"] for run in runs.values())
    return record(
        "settings",
        [
            Figure("retrieval over the published procedure", theirs / first["seconds"], 50, "times", at_most=False),
            Figure("rows that show the span of the published procedure", equal_spans(), 100, "%", at_most=False),
            Figure("published procedure, 260 rows", theirs, None, "s"),
            Figure("retrieval, 260 rows at first", first["seconds"], None, "s"),
            Figure("retrieval, a row afterwards (a new process)", again["seconds"] / rows * 1000, 5, "ms"),
            Figure("code contexts, 260 rows at first", code["seconds"], 60, "s"),
            Figure("code contexts, 260 rows afterwards (a new process)", code_again["seconds"], 5, "s"),
            Figure("peak memory", peak, 1024, "MiB"),
            Figure("oracle segment whole in what retrieval shows", 100 * first["shown"], None, "%"),
            Figure("oracle segment whole in what code shows", 100 * code["shown"], None, "%"),
        ],
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        contexts(sys.argv[1])
    else:
        sys.exit(not main())
