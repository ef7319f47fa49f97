"""Reference runs: a reference's outcome, executed once in a sandbox and cached."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic import Base64Bytes, BaseModel, ConfigDict

from mlbench.interface_check.verdict_cache import VerdictCache
from mlbench.judging.outcome_spec import OutcomeSpec
from mlbench.judging.outcomes import Expected
from mlbench.judging.process_evidence import runs
from mlbench.records import Candidate, Execution, ExitKind, Invocation, LeftBehind, OutputFile, Sample
from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox
from mlbench.sandbox.execute import execute
from mlbench.suites.suite import Suite


class _CachedFile(BaseModel):
    path: str
    size: int
    content: Base64Bytes | None
    fault: str


class _CachedRun(BaseModel):
    """A reference run as the cache holds it."""

    model_config = ConfigDict(val_json_bytes="base64")
    printed: str
    seconds: float
    running: bool
    bounded: bool
    fault: str
    files: tuple[_CachedFile, ...]
    removed: tuple[str, ...]
    altered: tuple[str, ...]
    used: tuple[str, ...]
    invocations: tuple[Invocation, ...]


class References:
    """Run the references of one suite on this machine.

    Args:
        suite: the suite that the samples are from.
    """

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._made: dict[tuple[object, ...], asyncio.Task[Expected]] = {}

    def spec_of(self, sample: Sample) -> OutcomeSpec | None:
        """The outcome that the sample's recipe declares.

        None if there is no recipe, or it declares none.
        """
        origin = self._suite.row(sample.id).origin
        return origin.recipe.outcome if origin else None

    async def of(self, sample: Sample, config: BubblewrapConfig, code: str | None = None) -> Expected | None:
        """Run the reference of a sample; None if its recipe declares no outcome.

        Args:
            sample: the sample.
            config: the sandbox in which its answers run.
            code: a text to run instead, such as the reference with another value.

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
        folder = sample.folder
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
    """The run of a reference, as JSON."""
    outcome = execution.outcome or LeftBehind()
    well = execution.ending is ExitKind.EXITED and execution.exit_code == 0
    still_runs = execution.ending is ExitKind.TIMEOUT
    processes = execution.witness.processes if execution.witness else ()
    fault = f"the reference ended with {execution.ending}, exit code {execution.exit_code}"
    run = _CachedRun(
        printed=execution.stdout,
        seconds=execution.seconds,
        running=still_runs,
        bounded=execution.ending is not ExitKind.EXITED,
        fault="" if well or still_runs else fault,
        files=tuple(
            _CachedFile.model_construct(path=file.path, size=file.size, content=file.content, fault=file.fault)
            for file in outcome.files
        ),
        removed=outcome.removed,
        altered=outcome.altered,
        used=tuple(sorted({file for process in processes for file in process.used})),
        invocations=tuple(each.invocation for each in runs(execution.witness)) if execution.witness else (),
    )
    return run.model_dump(mode="json")


def _unpacked(blank: Expected, cached: dict[str, Any]) -> Expected:
    """The expected outcome from the cached run of a reference."""
    run = _CachedRun.model_validate(cached)
    files = tuple(OutputFile(file.path, file.size, file.content, file.fault) for file in run.files)
    left = LeftBehind(files, run.removed, run.altered)
    return Expected(
        blank.spec, run.printed, left, blank.folder, run.seconds, run.running, run.fault, run.used, run.invocations
    )
