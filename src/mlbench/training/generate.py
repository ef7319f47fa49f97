"""Answers of a local model to rows, offline and in batches, in the form that `mlbench verify` reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlbench.records import UsageError
from mlbench.suites.answered_by import AnsweredBy
from mlbench.training.examples import Message, TrainingExample
from mlbench.training.models import out_of_memory_named, window

Generator = Callable[[Sequence[Sequence[Message]]], list[str]]
"""Returns a reply to each prompt."""


@dataclass(frozen=True)
class Sampling:
    """How replies are drawn.

    Attributes:
        k: replies per row.
        temperature: 0 is greedy, and then every reply of a row is the same.
        max_tokens: the longest reply.
        batch: prompts at the same time.
    """

    k: int = 1
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 512
    batch: int = 8
    seed: int = 0


@dataclass(frozen=True)
class RowAnswer:
    """The replies to one row."""

    row: int
    github_id: int
    replies: tuple[str, ...]

    def line(self, maker: AnsweredBy) -> str:
        """The answer as a line of the paper's format, with what made it."""
        record = {"id": self.row, "github_id": self.github_id, "output": list(self.replies)}
        record["answered_by"] = maker.model_dump(exclude_none=True)
        return json.dumps(record, ensure_ascii=False) + "\n"


def local_generator(model: Any, tokenizer: Any, sampling: Sampling) -> Generator:
    """Return a function that generates with a loaded model.

    Args:
        model: a causal language model of transformers.
        tokenizer: its tokenizer, with a chat template.
        sampling: how replies are drawn.
    """
    import torch

    torch.manual_seed(sampling.seed)
    tokenizer.padding_side = "left"
    model.eval()
    drawn: dict[str, float] = {"temperature": sampling.temperature, "top_p": sampling.top_p}
    how: dict[str, float] = {"do_sample": True, **drawn} if sampling.temperature > 0 else {"do_sample": False}

    def replies(prompts: Sequence[Sequence[Message]]) -> list[str]:
        texts = [
            tokenizer.apply_chat_template(list(prompt), tokenize=False, add_generation_prompt=True)
            for prompt in prompts
        ]
        inputs = tokenizer(texts, return_tensors="pt", padding=True, add_special_tokens=False).to(model.device)
        needed = inputs["input_ids"].shape[1] + sampling.max_tokens
        if (longest := window(model)) is not None and needed > longest:
            raise UsageError(f"prompt and reply have {needed} tokens, the model {longest}: lower --context-tokens")
        with torch.inference_mode(), out_of_memory_named("--batch or --context-tokens"):
            made = model.generate(
                **inputs, max_new_tokens=sampling.max_tokens, pad_token_id=tokenizer.pad_token_id, **how
            )
        return tokenizer.batch_decode(made[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True)  # type: ignore[no-any-return]

    return replies


def answers(
    examples: Sequence[TrainingExample],
    github_ids: Mapping[int, int],
    generator: Generator,
    sampling: Sampling,
    done: frozenset[int] = frozenset(),
) -> Iterator[RowAnswer]:
    """Answer rows in batches; longest prompts first, so that memory runs out at once or never.

    Args:
        examples: the rows' prompts.
        github_ids: the `github_id` of each row.
        generator: makes the replies.
        sampling: replies per row, and prompts per batch.
        done: rows that are left out.
    """
    todo = sorted((each for each in examples if each.row not in done), key=lambda each: (-each.tokens, each.row))
    each_time = max(1, sampling.batch // sampling.k)
    for start in range(0, len(todo), each_time):
        some = todo[start : start + each_time]
        prompts = [example.prompt for example in some for _ in range(sampling.k)]
        replies = generator(prompts)
        for position, example in enumerate(some):
            own = replies[position * sampling.k : (position + 1) * sampling.k]
            yield RowAnswer(example.row, github_ids[example.row], tuple(own))


def answered(file: Path, maker: AnsweredBy) -> frozenset[int]:
    """The rows that a file has answers to; a last line that was cut off is removed.

    Args:
        file: the answers; it need not exist.
        maker: what makes the answers that are missing.

    Raises:
        UsageError: a line before the last is no answer, or was made by something else.
    """
    if not file.exists():
        return frozenset()
    content = file.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    rows = set()
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            record = json.loads(line)
            rows.add(int(record["id"]))
            same = AnsweredBy.model_validate(record["answered_by"]) == maker
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{file}, line {number}: no answer of mlbench; name another file with -o") from error
        if not same:
            raise UsageError(f"{file}, line {number}: of another model, setting or sampling; name another file with -o")
    if whole != content:
        file.write_bytes(whole)
    return frozenset(rows)
