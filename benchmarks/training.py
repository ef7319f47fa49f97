"""Training data and the reward: prompts, leaks, speed, attacks, and the same rewards under any number of workers.

Must hold: every prompt is the evaluation's; all of 200 planted leaks are found, and at most 1 % of clean rows are
flagged; a warm reward takes 12 ms at the median; no attack is rewarded; 1 and 8 workers give the same rewards.

The answers of a real model, raw and tuned (docs/explanation/training.md), are judged again and compared row by row.

With MLBENCH_TRAINING_PYTHON=PYTHON (one with the extra `train`), a two-layer model with random weights also learns 32
rows by heart, and its answers are judged under `strict`; that takes three minutes on two idle cores.

    python -m benchmarks.training
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path
from statistics import median

from benchmarks.record import Figure, record
from mlbench.evals.ml_llm_bench.dataset import inspect_samples
from mlbench.prompts.context import Context
from mlbench.prompts.messages import fenced
from mlbench.records import Sample, Setting
from mlbench.sandbox.limits import Limits
from mlbench.scoring.runtime import checkouts_of, machine
from mlbench.suites.selection import SelectionAttempt
from mlbench.suites.suite import Suite, load_suite
from mlbench.training.examples import training_examples
from mlbench.training.leak_guard import LeakGuard
from mlbench.training.rewards import InterfaceReward, interface
from tests.attacks.attack_candidates import attacks

SUITES = ("pocket", "ml-bench")
SETTINGS: tuple[Setting, ...] = ("oracle", "readme", "retrieval")
PLANTED, SEED, ROWS = 200, 20261122, 32
MODELS = ("raw", "ood", "id")
SMOLLM2 = "SmolLM2-135M-Instruct"


def same_prompts(suite: Suite) -> tuple[int, int]:
    """How many training prompts are the evaluation's, and how many were compared."""
    same = total = 0
    context = Context(8192)
    for setting in SETTINGS:
        rows = [row for split in ("id_train", "ood_train") for row in suite.splits[split][::150]]
        made = training_examples(suite, rows, setting, checkouts_of(suite), context)
        attempts = [SelectionAttempt(row.sample) for row in rows]
        place = machine("bubblewrap", suite.name, Limits(), 2)
        for example, shown in zip(made, inspect_samples(suite.name, attempts, setting, place, context), strict=True):
            assert not isinstance(shown.input, str)
            same += [(m.role, m.content) for m in shown.input] == [(m["role"], m["content"]) for m in example.prompt]
            total += 1
    return same, total


def planted(suite: Suite) -> list[Sample]:
    """Training rows that give test rows away: equal, worded anew, or with other values in the same words."""
    rng = random.Random(SEED)
    rows = rng.sample(suite.splits["full"], PLANTED)
    found = []
    for number, row in enumerate(rows):
        origin, sample = row.origin, replace(row.sample, id=1_000_000 + number)
        assert origin is not None
        if number % 3 == 0:
            found.append(replace(sample, output="true"))
        elif number % 3 == 1:
            others = [each.sample for each in suite.splits["id_train"] if each.github_id == row.github_id]
            words = rng.choice(others).instruction if others else "Do what was said before."
            found.append(replace(sample, instruction=words))
        else:
            combination = rng.choice([c for c in origin.recipe.combinations() if c != origin.combination])
            said = {name: rng.choice(origin.recipe.said[name][words]) for name, words in combination.items()}
            templates = origin.recipe.instructions[:2]
            texts = [origin.recipe.render_instruction(template, said) for template in templates]
            own = row.sample.instruction.split()
            text = max(texts, key=lambda each: SequenceMatcher(None, each.split(), own).ratio())  # the row's template
            column, output = repr(origin.recipe.column(combination)), origin.recipe.render_reference(combination)
            found.append(replace(sample, instruction=text, output=output, arguments=column))
    return found


def leaks(suite: Suite) -> list[Figure]:
    """Planted leaks that are found, and clean rows that are flagged."""
    guard = LeakGuard(suite.splits["full"])
    bad = planted(suite)
    missed = [row.instruction for row in bad if guard.find(row) is None]
    for text in missed[:5]:
        print(f"missed: {text}")
    clean = [row.sample for split in ("id_train", "ood_train") for row in suite.splits[split]]
    flagged = sum(guard.find(row) is not None for row in clean)
    return [
        Figure(f"{suite.name}: planted leaks found", 100 * (1 - len(missed) / len(bad)), 100, "%", at_most=False),
        Figure(f"{suite.name}: clean rows flagged", 100 * flagged / len(clean), 1, "%"),
    ]


def rewarded(reward: InterfaceReward, rows: Sequence[Sample], replies: Sequence[str]) -> list[float | None]:
    return reward(replies, [row.id for row in rows])


def rewards(suite: Suite) -> list[Figure]:
    """Speed, determinism, references and attacks."""
    rows = [row.sample for row in suite.splits["id_train"][::20]]
    gold = [fenced(row.output, row.kind) for row in rows]
    mixed = [gold[i] if i % 2 else gold[(i + 1) % len(gold)] for i in range(len(gold))]
    with interface(suite.name, 1, cache=False) as reward:
        first = rewarded(reward, rows, gold)
        one = rewarded(reward, rows, mixed)
        seconds = []
        for row, reply in zip(rows, gold, strict=True):
            began = time.perf_counter()
            rewarded(reward, [row], [reply])
            seconds.append(time.perf_counter() - began)
        hostile = attacks()
        full = {row.id: row.sample for row in suite.splits["full"]}
        targets = [full[attack.row] for attack in hostile]
        replies = [fenced(attack.code, target.kind) for attack, target in zip(hostile, targets, strict=True)]
        passed = [a.name for a, r in zip(hostile, rewarded(reward, targets, replies), strict=True) if r == 1.0]
    for name in passed:
        print(f"rewarded: {name}")
    with interface(suite.name, 8) as reward:
        eight = rewarded(reward, rows, mixed)
    return [
        Figure("references rewarded", 100 * sum(each == 1.0 for each in first) / len(first), 100, "%", at_most=False),
        Figure("one reward, warm, median", 1000 * median(seconds), 12, "ms"),
        Figure(f"attacks rewarded, of {len(hostile)}", len(passed), 0),
        Figure("rewards that 8 workers change", sum(a != b for a, b in zip(one, eight, strict=True)), 0),
    ]


def by_heart(python: str) -> Figure:
    """The share of 32 rows that a tiny model answers right under `strict` after learning them by heart."""
    script = "import sys; from pathlib import Path; from tests.training.tiny_model import write_tiny_model;"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        examples = folder / "examples" / "prompt_completion.jsonl"

        def run(*words: str) -> None:
            subprocess.run([python, *words], check=True, stdout=sys.stderr)

        run("-m", "mlbench", "train", "export", "pocket", "-o", str(examples.parent), "--limit", str(ROWS))
        run("-c", f"{script} write_tiny_model(Path(sys.argv[1]), Path(sys.argv[2]))", str(examples), f"{folder}/model")
        train = ["train", "run", "pocket", "--model", f"{folder}/model", "--examples", str(examples)]
        how = ["--full", "--epochs", "60", "--batch-size", "1", "--held-out", "0", "--learning-rate", "0.001"]
        run("-m", "mlbench", *train, *how, "-o", f"{folder}/run", "--context-tokens", "2048")
        answers = ["train", "generate", "pocket", "--model", f"{folder}/run/model", "--split", "id_train"]
        run("-m", "mlbench", *answers, "--limit", str(ROWS), "--max-tokens", "400", "-o", f"{folder}/answers.jsonl")
        verify = ["verify", f"{folder}/answers.jsonl", "--suite", "pocket", "--json", f"{folder}/verdicts.jsonl"]
        run("-m", "mlbench", *verify, "--log-dir", f"{folder}/logs")
        verdicts = [json.loads(line) for line in (folder / "verdicts.jsonl").read_text().splitlines()]
    right = sum(each["policy"] == "strict" and each["passed"] for each in verdicts)
    return Figure(f"rows learnt by heart, strict, of {ROWS}", right, ROWS, at_most=False)


def tuned() -> list[Figure]:
    """What tuning adds to SmolLM2's pass@1 on `full`, in points: the lower ends of the paired intervals."""
    board = Path(__file__).parents[1] / "leaderboard"
    with tempfile.TemporaryDirectory() as logs:
        for name in MODELS:
            predictions = board / f"20261123_smollm2-135m-{name}-full" / "predictions.jsonl"
            lines = [json.loads(line) for line in predictions.read_text(encoding="utf-8").splitlines()]
            maker: dict[str, object] = {"model": SMOLLM2, "tuned_on": [] if name == "raw" else [f"{name}_train"]}
            maker |= {"split": "full", "setting": "oracle", "context_tokens": 8192, "reply_tokens": 256}
            answers = Path(logs) / f"{name}.jsonl"
            answers.write_text("".join(json.dumps({**line, "answered_by": maker}) + "\n" for line in lines))
            verify = [sys.executable, "-m", "mlbench", "verify", str(answers), "--suite", "pocket", "--log-dir", logs]
            subprocess.run([*verify, "--display", "none"], check=True, stdout=sys.stderr)
        asked = [sys.executable, "-m", "mlbench", "results", logs, "--paired", "--format", "json"]
        found = json.loads(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)
    by_pair = {(each["first_model"], each["second_model"]): each["rates"][0] for each in found["comparisons"]}
    return [
        Figure(
            f"{words} against raw, of 260 rows: at least",
            100 * by_pair[SMOLLM2, f"{SMOLLM2} (tuned, {words})"]["low"],
            0,
            at_most=False,
        )
        for words in ("other repositories", "same repositories")
    ]


def main() -> int:
    figures = tuned()
    for suite in map(load_suite, SUITES):
        same, total = same_prompts(suite)
        figures += [Figure(f"{suite.name}: prompts that are the evaluation's, of {total}", same, total, at_most=False)]
        figures += leaks(suite)
    figures += rewards(load_suite("pocket"))
    if python := os.environ.get("MLBENCH_TRAINING_PYTHON"):
        figures.append(by_heart(python))
    return not record("training", figures)


if __name__ == "__main__":
    sys.exit(main())
