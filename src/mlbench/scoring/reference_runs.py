"""What a sample's reference leaves behind: it is run once in a jail as its answers are, and kept by its content."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import asdict
from typing import Any

from mlbench.interface_check.verdict_cache import VerdictCache
from mlbench.judging.outcome_spec import OutcomeSpec
from mlbench.judging.outcomes import Expected
from mlbench.records import Candidate, Execution, ExitKind, LeftBehind, OutputFile, Sample
from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox
from mlbench.sandbox.execute import execute
from mlbench.suites.suite import Suite


class References:
    """The outcomes of one suite's references on this machine.

    Args:
        suite: the suite that the samples are from.
    """

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._made: dict[tuple[object, ...], asyncio.Task[Expected]] = {}

    def spec_of(self, sample: Sample) -> OutcomeSpec | None:
        """What the sample's recipe declares of its outcome; None where there is no recipe, or none is declared."""
        origin = self._suite.row(sample.id).origin
        return origin.recipe.outcome if origin else None

    async def of(self, sample: Sample, config: BubblewrapConfig, code: str | None = None) -> Expected | None:
        """What the reference of a sample leaves; None where its recipe declares nothing.

        Args:
            config: the jail that its answers run in.
            code: another text to run in its place, such as the reference with another value.

        Raises:
            SandboxUnavailableError: the sandbox failed.
        """
        spec = self.spec_of(sample)
        if spec is None:
            return None
        text = sample.output if code is None else code
        key = (sample.path, sample.prefix_code, sample.kind, text, spec, config)
        if key not in self._made:
            self._made[key] = asyncio.ensure_future(self._make(sample, config, text, spec))
        task = self._made[key]
        try:
            return await asyncio.shield(task)
        except BaseException:
            if task.done() and self._made.get(key) is task:
                del self._made[key]
            raise

    async def _make(self, sample: Sample, config: BubblewrapConfig, code: str, spec: OutcomeSpec) -> Expected:
        folder = sample.path.removeprefix("./").rstrip("/") or "."
        blank = Expected(spec, folder=folder)

        async def run() -> dict[str, Any]:
            box = BubblewrapSandbox(config)
            try:
                candidate = Candidate(code, sample.kind, "reference")
                seconds = config.limits.seconds
                execution = await execute(box, sample, candidate, seconds, lambda root: {}, True, outputs=blank.globs())
            finally:
                await box.close()
            return _packed(execution)

        kept = [sample.path, sample.prefix_code, sample.kind, code, spec.model_dump()]
        result, _ = await VerdictCache("outcome", config.model_dump()).once(
            kept, run, lambda found: not found["bounded"]
        )
        return _unpacked(blank, result)


def _packed(execution: Execution) -> dict[str, Any]:
    outcome = execution.outcome or LeftBehind()
    well = execution.ending is ExitKind.EXITED and execution.exit_code == 0
    running = execution.ending is ExitKind.TIMEOUT
    processes = execution.witness.processes if execution.witness else ()
    fault = "" if well or running else f"the reference ended with {execution.ending}, exit code {execution.exit_code}"
    files = [
        {**asdict(file), "content": None if file.content is None else base64.b64encode(file.content).decode()}
        for file in outcome.files
    ]
    return {
        "printed": execution.stdout,
        "seconds": execution.seconds,
        "running": running,
        "bounded": execution.ending is not ExitKind.EXITED,
        "fault": fault,
        "files": files,
        "removed": outcome.removed,
        "altered": outcome.altered,
        "used": sorted({file for each in processes for file in each.used}),
    }


def _unpacked(blank: Expected, found: dict[str, Any]) -> Expected:
    files = tuple(
        OutputFile(
            file["path"],
            file["size"],
            None if file["content"] is None else base64.b64decode(file["content"]),
            file["fault"],
        )
        for file in found["files"]
    )
    return Expected(
        blank.spec,
        found["printed"],
        LeftBehind(files, tuple(found["removed"]), tuple(found["altered"])),
        blank.folder,
        found["seconds"],
        found["running"],
        found["fault"],
        tuple(found["used"]),
    )
