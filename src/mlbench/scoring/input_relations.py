"""Proof of work for a reference with a free input, by a replay on the answer's input.

An answer's recorder leaves the arrays that its calls took and returned. That is a claim. It holds if the reference, run
afresh on the claimed input, returns the claimed result.
"""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from mlbench.judging.file_formats import Unreadable, read
from mlbench.judging.outcome_spec import Relation
from mlbench.judging.outcomes import Expected
from mlbench.records import Candidate, Execution, Sample
from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox
from mlbench.sandbox.execute import CLAIMS, execute

_CLAIM = re.compile(rf"{re.escape(CLAIMS)}/(\d+)\.npz")
_INPUT, _RESULT = "/tmp/mlbench-input.npy", "/tmp/mlbench-result.npy"
_MOST_PROOFS = 4
_RTOL, _ATOL = 1e-6, 1e-9
_NOT_MADE = "what a call returned is not what the repository makes of its input"


async def unproven(sample: Sample, expected: Expected, execution: Execution, config: BubblewrapConfig) -> str:
    """Why no call of an answer did the work; empty if one did.

    Args:
        sample: the sample.
        expected: the reference's outcome.
        execution: the answer's run.
        config: the sandbox of the replay.

    Raises:
        SandboxUnavailableError: the sandbox failed.
    """
    relation = expected.spec.relation
    assert relation is not None
    claims = [(taken, returned) for taken, returned in _claims(execution) if taken.size or not relation.input]
    if not claims:
        return "no call into the repository took and returned an array"
    if not relation.input:
        found = await _replayed(sample, relation, None, config)
        if isinstance(found, str):
            return found
        return "" if any(_is_same(found, returned) for _, returned in claims) else _NOT_MADE
    faults = []
    for taken, returned in claims[-_MOST_PROOFS:]:
        if why := _not_random(taken):
            faults.append(f"the input that was to be random {why}")
            continue
        found = await _replayed(sample, relation, taken, config)
        if isinstance(found, str):
            faults.append(found)
        elif _is_same(found, returned):
            return ""
        else:
            faults.append(_NOT_MADE)
    return faults[-1]


def _is_same(found: Any, returned: Any) -> bool:
    return found.shape == returned.shape and bool(np.allclose(found, returned, _RTOL, _ATOL))


def _not_random(given: Any) -> str:
    """Why the result for an input is known without doing the work; empty if it is not."""
    if not np.isfinite(given).all():
        return "is not finite"
    return "is the same number everywhere" if given.size > 1 and (given == given.flat[0]).all() else ""


def _claims(execution: Execution) -> Iterator[tuple[Any, Any]]:
    """The arrays that calls took and returned, in order."""
    found = []
    for file in execution.outcome.files if execution.outcome else ():
        match = _CLAIM.fullmatch(file.path)
        if match and file.content is not None:
            try:
                arrays = read(file.path, file.content)
            except Unreadable:
                continue
            if isinstance(arrays, dict) and all(_is_numeric(arrays.get(name)) for name in ("taken", "returned")):
                found.append((int(match[1]), arrays["taken"], arrays["returned"]))
    for _, taken, returned in sorted(found, key=lambda each: each[0]):
        yield taken, returned


def _is_numeric(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiub"


async def _replayed(sample: Sample, relation: Relation, given: Any, config: BubblewrapConfig) -> Any:
    """The reference's result on an input, or one line why there is none."""
    box = BubblewrapSandbox(config)
    try:
        if given is not None:
            buffer = io.BytesIO()
            np.save(buffer, given, allow_pickle=False)
            await box.write_file(_INPUT, buffer.getvalue())
        code = replayed_text(sample.output, relation, given is not None)
        candidate = Candidate(code, "python", "reference")
        done = await execute(box, replace(sample, output=""), candidate, config.limits.seconds, lambda root: {})
        if done.exit_code:
            return f"the reference cannot take this input: {(done.stderr.strip().splitlines() or ['?'])[-1][:200]}"
        content = await box.read_file(_RESULT, text=False)
        return read(_RESULT, content)
    except (OSError, Unreadable) as error:
        return f"the reference left no result: {error}"
    finally:
        await box.close()


def replayed_text(reference: str, relation: Relation, replaced: bool) -> str:
    """The reference with its free input loaded from a file, and its result saved to another.

    Args:
        reference: the reference's code.
        relation: the variables of input and result.
        replaced: whether the input is loaded.

    Raises:
        ValueError: it assigns no such variable at its top level.
    """
    tree = ast.parse(reference)
    if replaced:
        load = ast.parse(f"__import__('numpy').load({_INPUT!r}, allow_pickle=False)", mode="eval").body
        places = [
            node
            for node in tree.body
            if isinstance(node, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == relation.input for t in node.targets)
        ]
        if not places:
            raise ValueError(f"the reference assigns no variable {relation.input} at its top level")
        places[0].value = load
    tree.body += ast.parse(f"__import__('numpy').save({_RESULT!r}, {relation.result})").body
    return ast.unparse(ast.fix_missing_locations(tree))
