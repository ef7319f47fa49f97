"""Write rows of a suite as tasks of Harbor: one folder a row."""

from __future__ import annotations

import json
import posixpath
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from mlbench import __version__
from mlbench.agents.baselines import ANSWER_FILE, run_script
from mlbench.atomic_write import new_folder
from mlbench.prompts.agent_prompt import agent_task
from mlbench.records import Policy, RunError, Sample, UsageError
from mlbench.repositories.environments import console_scripts
from mlbench.repositories.fetch import stored_parts
from mlbench.sandbox.mounts import WORKSPACE
from mlbench.scoring.runtime import checkouts_of
from mlbench.suites.suite import BUNDLED, Suite

BASE_IMAGE = "python:3.11-bookworm"
"""Default base of both images: it has Python 3.11 and git."""

RUN_SECONDS, AGENT_SECONDS, JUDGE_SECONDS = 120.0, 1800.0, 1200.0
_TEMPLATES = Path(__file__).parent / "templates"
_OWN_SUITE = "/opt/mlbench/suite"


@dataclass(frozen=True)
class HarborTasks:
    """The tasks of one suite.

    The judge runs what an agent left if the suite has an environment. If not, it decides by the interface check.

    Attributes:
        suite: the suite.
    """

    suite: Suite

    @property
    def policy(self) -> Policy:
        """The policy of the reward."""
        return Policy.STRICT if self.suite.executable else Policy.INTERFACE

    def write(self, rows: Sequence[Sample], folder: Path) -> Iterator[Path]:
        """Write a task for each row and yield its folder. A task of an earlier export is replaced.

        Raises:
            UsageError: a repository is not fetched yet, the rows are twins of a suite without an environment, or a
                folder in the way is no task.
            RunError: a file cannot be written.
        """
        if self.suite.twin_file and not self.suite.executable:
            raise UsageError(
                f"suite {self.suite.name}: a judge of these twins would need every repository of the suite in its"
                " image; export the suite that they are of"
            )
        names = {self.suite.repository_of(row.github_id).name for row in rows}
        checkouts = checkouts_of(self.suite, names)
        for row in rows:
            target = folder / f"{self._slug}-{row.id}"
            if target.exists() and not (target / "task.toml").is_file():
                raise UsageError(f"{target} is in the way and is no task of Harbor; choose another folder with -o")
            try:
                folder.mkdir(parents=True, exist_ok=True)
                shutil.rmtree(target, ignore_errors=True)
                with new_folder(target) as made:
                    self._write_task(row, checkouts, made)
            except OSError as error:
                raise RunError(f"cannot write {error.filename or target}: {error.strerror}") from error
            yield target

    @property
    def _slug(self) -> str:
        return re.sub(r"[^A-Za-z0-9]+", "-", self.suite.name).strip("-").lower() or "suite"

    def _write_task(self, row: Sample, checkouts: Mapping[str, Path], target: Path) -> None:
        repository = self.suite.repository_of(row.github_id)
        own = self.suite.root.resolve() != (BUNDLED / self.suite.name).resolve()
        place = row.folder
        requirements = self.suite.requirements if self.suite.requirements.is_file() else None
        fields = {
            "name": f"mlbench/{self._slug}-{row.id}",
            "description": f"A task of ML-Agent-Bench in the repository {repository.name}.",
            "suite": _OWN_SUITE if own else self.suite.name,
            "own_suite": own,
            "version": str(self.suite.version),
            "row": row,
            "repository": repository.name,
            "policy": self.policy.value,
            "pinned": repository.catalogue,
            "domain": repository.domain,
            "mlbench": __version__,
            "requirement": f"mlbench-harness=={__version__}",
            "base": BASE_IMAGE,
            "agent_seconds": AGENT_SECONDS,
            "judge_seconds": JUDGE_SECONDS,
            "python_path": posixpath.normpath(f"{WORKSPACE}/{repository.installed}") if repository.installed else "",
            "requirements": requirements is not None,
            "answer": ANSWER_FILE if row.kind == "python" else "",
            "folder": place,
        }
        for name, template in _FILES.items():
            _put(target / name, _rendered(template, fields))
        _put(target / "instruction.md", agent_task(row, repository.name, "open", RUN_SECONDS) + "\n")
        _put(target / "solution" / "run.sh", run_script(row, place))
        if row.kind == "python":
            _put(target / "solution" / ANSWER_FILE, row.output)
        if requirements:
            shutil.copyfile(requirements, target / "solution" / "requirements.txt")
        self._write_repository(checkouts[repository.name], target / "environment")
        if own:
            shutil.copytree(self.suite.root, target / "tests" / "suite", ignore=shutil.ignore_patterns(".git"))
        if repository.catalogue:
            self._write_checkout(repository.name, target / "tests" / "checkout")

    def _write_checkout(self, name: str, target: Path) -> None:
        """Copy a pinned checkout into the context of the judge's image, as the cache has it."""
        folder, manifest = stored_parts(self.suite.pinned(name))
        shutil.copytree(folder, target / folder.name, symlinks=True)
        shutil.copyfile(manifest, target / manifest.name)

    def _write_repository(self, checkout: Path, target: Path) -> None:
        """Copy a repository and its console scripts into the context of the agent's image."""
        ignored = shutil.ignore_patterns("__pycache__", ".git")
        shutil.copytree(checkout, target / "repository", symlinks=True, ignore=ignored)
        (target / "tools").mkdir(parents=True)
        scripts = console_scripts(checkout)
        for script in sorted(scripts.iterdir()) if scripts else ():
            shutil.copy(script, target / "tools" / script.name)
        (target / "tools" / ".keep").touch()  # Docker copies no folder that is missing


_FILES = {
    "task.toml": "task.toml",
    "environment/Dockerfile": "environment.dockerfile",
    "tests/Dockerfile": "tests.dockerfile",
    "tests/docker-compose.yaml": "compose.yaml",
    "tests/test.sh": "test.sh",
    "solution/solve.sh": "solve.sh",
}


def _put(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755 if file.suffix == ".sh" else 0o644)


def _rendered(name: str, fields: dict[str, object]) -> str:
    loader = jinja2.FileSystemLoader(_TEMPLATES)
    environment = jinja2.Environment(
        loader=loader, undefined=jinja2.StrictUndefined, autoescape=False, keep_trailing_newline=True
    )
    environment.filters["toml"] = lambda text: json.dumps(str(text), ensure_ascii=False)
    return environment.get_template(f"{name}.jinja").render(fields)
