"""Step 5: instruction templates by the grammar or by a model, checked by the rules for rows.

A template says every argument once, as `{{ name }}`, and what the task does. It never says how the command is written.
If the reference sets more than the arguments, the template says so, or refers to the documentation that shows it. The
interface policy requires only the arguments.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pydantic import BaseModel

from mlbench.records import PYTHON_TYPE, SHELL_TYPE
from mlbench.repositories.documents import is_readme
from mlbench.suite_builder.arguments.argument_kinds import is_never
from mlbench.suite_builder.instructions.phrases import kind_of, phrases
from mlbench.suite_builder.instructions.sentence_templates import Scene, written
from mlbench.suite_builder.instructions.task_descriptions import is_named, purpose, spelled
from mlbench.suite_builder.llm import Asker
from mlbench.suite_builder.mining.task_selection import IDLE, MODES
from mlbench.suite_builder.quality.duplicates import ALIKE, likeness
from mlbench.suite_builder.quality.instructions import InstructionFault, faults
from mlbench.suite_builder.types import BuildDecision, DraftArgument, RecipeDraft
from mlbench.suites.recipes import Recipe

WANTED = 8
"""Templates per task: two for the test set, the others for training."""
FEW_FIXED, MOST_FIXED = 4, 4
"""With so many fixed settings, all are said; besides a reference to the documentation, at most so many."""
MOST_LINES = 24
"""Lines of a snippet, without imports, comments and blank lines."""
_ROUNDS = 8
_PLACE = re.compile(r"\{\{ (\w+) \}\}")
_BRACES = re.compile(r"[{}]|%\}|\{%")
_SAYABLE = re.compile(r"[\w.]+ [\w./:@+~-]{1,160}")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")
_COMBINATIONS = 12
_LONGEST = 2000
_REWRITE = """Use your creativity and rewrite each query three times, as different people would ask for it who want to
use a repository: questions, requests, lists, short and long ones. Make sure that all the required arguments are
provided. Each stands in your text exactly once, as its name in double braces, such as {{ epochs }}, and it is clear
which setting it is. Keep the information unchanged. Never write an option of a command line, a command, or code."""


class Rewritten(BaseModel):
    """The answer of a model."""

    templates: list[str]


def templates(
    draft: RecipeDraft, seed: int, project: str = "", count: int = WANTED
) -> tuple[list[str], list[BuildDecision]]:
    """Templates by the grammar, the same for the same seed, and why others were refused.

    Args:
        draft: the task with its arguments.
        seed: of the random order.
        project: the repository's name; empty to leave it out.
        count: the largest number; the task's words may allow fewer.
    """
    if shared := _shared(draft):
        return [], [BuildDecision("instructions", draft.task.name, False, "value-ambiguous", shared)]
    if not is_named(purpose(draft, project)):
        why = "neither the documentation nor the program's name says what it is for"
        return [], [BuildDecision("instructions", draft.task.name, False, "no-purpose", why)]
    if draft.task.kind == "python" and (count := _lines(draft.task.code)) > MOST_LINES:
        why = f"a snippet of {count} lines cannot be asked for in a few sentences"
        return [], [BuildDecision("instructions", draft.task.name, False, "too-long", why)]
    try:
        scene, constant = _scene(draft, project), _named_apart(_said_fixed(draft))
        said = phrases([*draft.arguments, *constant])
    except ValueError as error:
        return [], [BuildDecision("instructions", draft.task.name, False, "not-sufficient", str(error))]
    rng = random.Random(f"{seed}/{project}/{draft.task.name}/instructions")
    kept: list[str] = []
    decisions: list[BuildDecision] = []
    for _ in range(_ROUNDS):
        for template in written(said, scene, rng):
            if len(kept) < count:
                decisions += _judged(draft, _filled_in(template, constant), kept, "by the grammar")
    return kept, decisions


async def rewritten(
    draft: RecipeDraft, seed: int, asker: Asker, project: str = "", count: int = WANTED
) -> tuple[list[str], list[BuildDecision]]:
    """Templates by a model (paper, table 7), then by the grammar if there are too few.

    The model sees the grammar's templates and the task's documentation. Its templates are checked by the same rules.

    Args:
        draft: the task with its arguments.
        seed: of the random order.
        asker: the model.
        project: the repository's name.
        count: the largest number.
    """
    plain, decisions = templates(draft, seed, project, count)
    if not plain:
        return plain, decisions
    examples = plain[: max(2, count // 3)]
    required = "\n".join(f"{{{{ {each.name} }}}}: {each.said}; {each.help}".strip("; ") for each in draft.arguments)
    prose = " > ".join(draft.task.block.headings) + "\n" + draft.task.block.prose[-1500:]
    queries = "\n".join(f"{number}. {text}" for number, text in enumerate(examples, 1))
    text = f"Queries:\n{queries}\n\nRequired arguments:\n{required}\n\nWhat the documentation says of it:\n{prose}"
    answer = await asker.ask(_REWRITE, text, Rewritten, draft.task.name)
    kept: list[str] = []
    for template in answer.templates[: 3 * count] if answer else ():
        if len(kept) < count:
            decisions += _judged(draft, " ".join(template.split()), kept, "by the model")
    for template in plain:
        if len(kept) < count:
            _judged(draft, template, kept, "")
    return kept, decisions


def refused(draft: RecipeDraft, template: str) -> InstructionFault | None:
    """The first fault of a template by itself; None if it can be used."""
    names = sorted(each.name for each in draft.arguments)
    if len(template) > _LONGEST:
        return InstructionFault("too-long", f"longer than {_LONGEST} characters")
    if _BRACES.search(_PLACE.sub("", template)):
        return InstructionFault("not-a-template", "has braces that are no argument")
    if sorted(_PLACE.findall(template)) != names:
        said = _PLACE.findall(template)
        wrong = sorted({*names} ^ {*said}) or sorted(name for name in {*said} if said.count(name) > 1)
        return InstructionFault("not-each-once", f"{', '.join(wrong)}: missing, unknown, or more than once")
    return next(_faults(draft, template), None)


def _lines(code: str) -> int:
    lines = [line.strip() for line in code.splitlines()]
    return sum(bool(line) and not line.startswith(("#", "import ", "from ")) for line in lines)


def _named_apart(fixed: Sequence[DraftArgument]) -> list[DraftArgument]:
    """The fixed settings with names that no argument has."""
    return [replace(each, name=f"fixed_{at}") for at, each in enumerate(fixed)]


def _filled_in(template: str, fixed: Sequence[DraftArgument]) -> str:
    """The template with the values of the fixed settings in their places."""
    for each in fixed:
        template = template.replace(f"{{{{ {each.name} }}}}", next(iter(each.values)))
    return template


def _shared(draft: RecipeDraft) -> str:
    """Two arguments with the same name in prose; empty if there are none."""
    whose: dict[str, str] = {}
    for each in draft.arguments:
        if kind_of(each, each.said) in ("clause", "phrase"):
            for way in each.values:
                if whose.setdefault(way, each.name) != each.name:
                    return f"{whose[way]} and {each.name} are both said {way!r}"
    return ""


def _faults(draft: RecipeDraft, template: str) -> Iterator[InstructionFault]:
    """The faults of the template's instructions, over all values of all arguments."""
    recipe = Recipe.model_construct(
        type=PYTHON_TYPE if draft.task.kind == "python" else SHELL_TYPE, reference=draft.reference
    )
    most = max(len(each.values) for each in draft.arguments)
    for turn in range(min(most, _COMBINATIONS)):
        ways = {each.name: list(each.values)[turn % len(each.values)] for each in draft.arguments}
        wanted = {each.name: each.values[ways[each.name]] for each in draft.arguments}
        text = recipe.render_instruction(template, ways)
        yield from faults(text, {name: [way] for name, way in ways.items()}, recipe.render_reference(wanted))


def _judged(draft: RecipeDraft, template: str, kept: list[str], whose: str) -> list[BuildDecision]:
    """Add a template to the kept ones, or say why not."""
    fault = refused(draft, template)
    if fault is None:
        wording = _PLACE.sub("\0", template)
        alike = max((likeness(wording, _PLACE.sub("\0", other)) for other in kept), default=0.0)
        if alike < ALIKE:
            kept.append(template)
            return []
        fault = InstructionFault("near-duplicate", f"{alike:.2f} like another")
    return [
        BuildDecision("instructions", draft.task.name, False, fault.reason, f"{whose}: {fault.evidence}: {template}")
    ]


def _scene(draft: RecipeDraft, project: str) -> Scene:
    task = draft.task
    about = purpose(draft, project)
    said = {each.place for each in _said_fixed(draft)}
    more = task.kind == "python" or any(each.place not in said for each in draft.fixed)
    page = _page(task.block.page)
    where = (f"the example in {page}", page) if more else ()
    if more and about.section and about.section not in about.do:
        where = (f'the section "{about.section}" of {page}', f'the example under "{about.section}" in {page}')
    return Scene(
        do=about.do,
        doing=about.doing,
        project=spelled(project, task),
        code="Python snippet" if task.kind == "python" else "command",
        where=where,
        more=more,
    )


def wording(draft: RecipeDraft) -> tuple[object, ...]:
    """What instructions can say of a draft besides values; a key to compare drafts."""
    try:
        scene, fixed = _scene(draft, ""), sorted((each.said, *each.values) for each in _said_fixed(draft))
    except ValueError:
        return (draft.task.name,)
    return scene.do, scene.where, tuple(fixed), scene.code, tuple(sorted(each.said for each in draft.arguments))


def _page(path: str) -> str:
    """A page's name in prose."""
    folder, _, name = path.rpartition("/")
    if not _SAYABLE.fullmatch(f"page {path}"):
        return "the documentation"
    if not is_readme(name):
        return path
    return f"the README in {folder}" if folder else "the README"


def _said_fixed(draft: RecipeDraft) -> list[DraftArgument]:
    """The fixed settings that an instruction says: all if they are few, else those that the documentation leaves open.

    Raises:
        ValueError: there are no words for one that must be said.
    """
    block = draft.task.block
    if len(draft.fixed) <= FEW_FIXED and all(_is_sayable(each) for each in draft.fixed):
        return list(draft.fixed)
    again = _of_this_alone(draft)
    moved = {word for each in draft.arguments for words in each.values.values() for word in words if len(word) > 3}
    needed = [
        each
        for each in draft.fixed
        if each.place in again or not _stands_in(_text(each), f"{block.code}\n{block.prose}")
        if not any(word in _text(each) for word in moved)
    ]
    if silent := [each.place for each in needed if not _is_sayable(each)]:
        raise ValueError(f"there are no words for {', '.join(silent)}, which the documentation does not settle")
    if len(needed) > MOST_FIXED:
        raise ValueError(f"{len(needed)} settings would have to be said besides the arguments")
    return needed


def _text(setting: DraftArgument) -> str:
    """The words of a fixed setting as the command gives them."""
    said, words = next(iter(setting.values.items()))
    return " ".join(words) or said


def _is_sayable(setting: DraftArgument) -> bool:
    said = next(iter(setting.values), "")
    return bool(setting.said and _SAYABLE.fullmatch(f"x {said}" if " " not in said else f"x {said.replace(' ', '_')}"))


def _of_this_alone(draft: RecipeDraft) -> set[str]:
    """Settings that distinguish the command from its program's others in the same place."""
    task, name = draft.task, draft.task.program.rpartition("/")[2]
    text = f"{task.block.code}\n{task.block.prose}".replace("\\\n", " ")
    others = {" ".join(line.partition(name)[2].split()) for line in text.split("\n") if name and name in line}
    return {
        each.place
        for each in draft.fixed
        if _tells(each.place) and sum(_stands_in(_text(each), other) for other in others) == 1 < len(others)
    }


def _tells(name: str) -> bool:
    """Whether a setting says what is done, not how the machine does it."""
    return MODES.search(name) is not None or not (is_never(name) or IDLE.search(name))


def _stands_in(value: str, text: str) -> bool:
    """Whether a text contains a value; a number in any spelling."""
    if value in text:
        return True
    try:
        return any(float(word) == float(value) for word in _NUMBER.findall(text))
    except ValueError:
        return False
