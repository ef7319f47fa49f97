"""Options of a build, and what is known of one repository in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from mlbench.suite_builder.left_out import NOT_RUNNABLE
from mlbench.suite_builder.llm import Asker, LLMQuestion
from mlbench.suite_builder.priorities import NO_PRIORITIES, Priorities
from mlbench.suite_builder.quality.llm_reading import TaskReading
from mlbench.suite_builder.source import RepositorySource
from mlbench.suite_builder.types import BuildDecision, DraftTask, Step
from mlbench.suites.recipes import Recipe

TASKS = 120
_LOOKED_FOR: dict[Step, str] = {
    "readmes": "README or page of documentation",
    "tasks": "command or code in its pages",
    "arguments": "argument",
    "instructions": "recipe",
    "quality": "row",
}
_LONGEST_WHY = 160
_ASKED_AT_ONCE = 16
ShowProgress = Callable[[str, int, int], None]
"""Shows progress: the repository and step, the items done, and all items (0: not known)."""


@dataclass(frozen=True)
class BuildOptions:
    """The options of a build.

    Attributes:
        most: the largest number of tasks of one repository.
        asker: a model for steps 2, 3 and 5; None for rules alone.
        reader: another model that reads the finished tasks; None: the same.
        first: names of tasks, programs and options that a person wants first.
    """

    seed: int = 0
    most: int = TASKS
    workers: int = 2
    asker: Asker | None = None
    reader: Asker | None = None
    first: Priorities = NO_PRIORITIES

    @property
    def asks(self) -> bool:
        """Whether a model is asked."""
        return self.asker is not None and self.asker.is_there

    @property
    def questions(self) -> list[LLMQuestion]:
        """What was asked of the models."""
        return [question for each in (self.asker, self.reader) if each is not None for question in each.questions]

    @property
    def has_read(self) -> bool:
        """Whether a model has read every task; else the suite is a draft."""
        readings = [each for each in self.questions if each.wanted == TaskReading.__name__]
        return bool(readings) and not any(each.fault for each in readings)

    @property
    def at_once(self) -> int:
        """Tasks in work at once: with a model, most of them wait for its answers."""
        return max(self.workers, _ASKED_AT_ONCE) if self.asks else self.workers


@dataclass
class RepositoryBuild:
    """One repository of a suite: every decision on it, and its recipes.

    Attributes:
        root: the folder that an installation would put on Python's path.
        alike: by the name of a task, its command as the page has it, and others of its form that were not tried.
        failed: why it has no recipe; empty if it has some.
    """

    source: RepositorySource
    root: str = "."
    decisions: dict[Step, list[BuildDecision]] = field(default_factory=dict)
    alike: dict[str, tuple[DraftTask, ...]] = field(default_factory=dict)
    recipes: list[Recipe] = field(default_factory=list)
    failed: str = ""

    def about(self, step: Step) -> str:
        return f"{self.source.name}: {step}"

    def note(self, step: Step, *decisions: BuildDecision) -> None:
        self.decisions.setdefault(step, []).extend(decisions)

    def fail(self, report: str) -> None:
        """Say why no task is left; `report` is the file that has all decisions."""
        self.failed = f"{self.source.name}: no usable task: {_why_none(self.decisions)}; {report} has all decisions"


def _why_none(decisions: Mapping[Step, Sequence[BuildDecision]]) -> str:
    """The step at which nothing was left, with its most frequent reasons and an example of the first."""
    steps = list(_LOOKED_FOR)
    for at, (step, what) in enumerate(_LOOKED_FOR.items()):
        found = decisions.get(step, [])
        if not found:
            return f"it has no {what}"
        is_last = at + 1 < len(steps) and not decisions.get(steps[at + 1])  # a setting is kept, its task is not
        left = [each for each in found if not each.kept]
        if left and (is_last or len(left) == len(found)):
            counted = [each for each in left if each.reason not in NOT_RUNNABLE] or left
            reasons = Counter(each.reason for each in counted).most_common(3)
            first = next(each for each in counted if each.reason == reasons[0][0])
            example = f" ({first.subject}: {first.why[:_LONGEST_WHY]})" if counted is not left else ""
            return f"no {what} can be used: " + ", ".join(f"{reason} {count}" for reason, count in reasons) + example
    return "no task has enough that can be varied"
