"""Step 5: instruction templates by the grammar or by a model, checked by the rules for rows.

A template says every argument once, as `{{ name }}`, and what the task does. It never says how the command is written.
If the reference sets more than the arguments, the template says so, or refers to the documentation that shows it. The
interface policy requires only the arguments.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from mlbench.records import PYTHON_TYPE, SHELL_TYPE
from mlbench.repositories.documents import is_readme
from mlbench.suite_builder.arguments.usages import settings_of
from mlbench.suite_builder.instructions.ambiguity import ambiguous
from mlbench.suite_builder.instructions.fixed_settings import said_settings
from mlbench.suite_builder.instructions.grammar import grammar, joined
from mlbench.suite_builder.instructions.language import slips
from mlbench.suite_builder.instructions.phrases import kind_of, phrases
from mlbench.suite_builder.instructions.purposes import purpose
from mlbench.suite_builder.instructions.sentence_templates import Scene, written
from mlbench.suite_builder.instructions.task_descriptions import (
    entry_name,
    is_launched,
    names_called,
    section_of,
    setup_of,
    started_name,
)
from mlbench.suite_builder.lexicon import unknown
from mlbench.suite_builder.mining.commands import LAUNCHER
from mlbench.suite_builder.mining.task_selection import subcommand
from mlbench.suite_builder.quality.duplicates import ALIKE, likeness
from mlbench.suite_builder.quality.instructions import InstructionFault, faults
from mlbench.suite_builder.quality.round_trip import placeholder, unattested
from mlbench.suite_builder.types import BuildDecision, DraftArgument, RecipeDraft
from mlbench.suites.recipes import Recipe

WANTED, FEWEST = 8, 5
"""Templates per task: two for the test set, the others for training. A task with fewer than the second is dropped."""
MOST_LINES = 24
"""Lines of a snippet, without imports, comments and blank lines."""
_ROUNDS = 8
_PLACE = re.compile(r"\{\{ (\w+) \}\}")
_BRACES, _OWN_BRACES = re.compile(r"[{}]|%\}|\{%"), re.compile(r"(?<!\{)\{[\w.,-]+\}(?!\})")
_SAYABLE = re.compile(r"[\w.]+ [\w./:@+~-]{1,160}")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")
_FENCED = re.compile(r"(?ms)^\s*```[^\n]*\n(.*?)^\s*```")
_THE_README = re.compile(r"readme(?:\.\w+)?", re.I)
"""A folder may have others beside it: `README_deit.md`."""
_PROCESSES = re.compile(rf"{LAUNCHER}(\d+)")
_OPEN = re.compile(rf"{LAUNCHER}([^\d\s]\S*)")
_COMBINATIONS = 12
_PROSE_SLASH = re.compile(r"[A-Za-z]+/[A-Za-z]+")
"""`dry/wet` is prose, or a path; a reader can tell."""
COPY = "the example can only be copied as it is"
_EXAMPLES = (
    ("reproduce", "the example with {names} {section}in {page}"),
    ("use", "{names} as {page} does {section}"),
    ("adapt", "the code {section}in {page} that uses {names}"),
    ("apply", "{names} like the example that {page} has {section}"),
    ("run", "what {page} shows {section}for {names}"),
)
"""How an example of Python is meant."""
_LONGEST = 2000
"""Why an example in which nothing varies makes no task."""


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
    if fault := unusable(draft):
        return [], [fault]
    if unclear := _unclear(draft):
        return [], [BuildDecision("instructions", draft.task.name, False, "no-purpose", unclear)]
    if draft.task.kind == "python" and not any(_is_called(each, draft.task.block.code) for each in draft.arguments):
        why = "what varies is called in another section than the one that the page's code belongs to"
        return [], [BuildDecision("instructions", draft.task.name, False, "not-sufficient", why)]
    if draft.task.kind == "python" and (lines := _lines(draft.task.code)) > MOST_LINES:
        why = f"a snippet of {lines} lines cannot be asked for in a few sentences"
        return [], [BuildDecision("instructions", draft.task.name, False, "too-long", why)]
    try:
        constant = _named_apart(said_settings(draft))
        said = phrases([*draft.arguments, *constant])
    except ValueError as error:
        return [], [BuildDecision("instructions", draft.task.name, False, "not-sufficient", str(error))]
    refers = is_launched(draft.task) or _is_partly_said(draft, {each.place for each in said_settings(draft)})
    if other := ambiguous(draft, is_whole=not refers):
        why = f"the section has another command that fits as well: {other}"
        return [], [BuildDecision("instructions", draft.task.name, False, "ambiguous", why)]
    # tasks of one section take the same forms for their test rows, so that none resembles a training row of another
    block = draft.task.block
    rng = random.Random(f"{seed}/{project}/{block.page}/{'/'.join(block.headings)}/instructions")
    kept: list[str] = []
    decisions: list[BuildDecision] = []
    for turn in range(_ROUNDS):
        scene = _scene(draft, project, turn)
        for template in written(said, scene, rng):
            if len(kept) < count:
                decisions += judged(draft, _filled_in(template, constant), kept, ("by the grammar", project))
    return kept, decisions


def unusable(draft: RecipeDraft) -> BuildDecision | None:
    """Why no words could make a task of a draft; None if some may."""
    if shared := _shared(draft):
        return BuildDecision("instructions", draft.task.name, False, "value-ambiguous", shared)
    if is_copy(draft):
        return BuildDecision("instructions", draft.task.name, False, "too-few-values", COPY)
    is_python = draft.task.kind == "python"
    left = placeholder(_without_arguments(draft), python=is_python)
    left = left or placeholder(_own_values(draft) if is_python else draft.task.code, python=is_python)
    why = f"nothing says what {left} is in the {'code' if is_python else 'command'}"
    return BuildDecision("instructions", draft.task.name, False, "not-sufficient", why) if left else None


def is_copy(draft: RecipeDraft) -> bool:
    """Whether nothing varies, so that an instruction could only ask for what the page shows; no fixed command does."""
    return not draft.task.programs and all(len(each.values) == 1 for each in draft.arguments)


def refused(draft: RecipeDraft, template: str, project: str = "", *, language: bool = True) -> InstructionFault | None:
    """The first fault of a template by itself; None if it can be used.

    Args:
        draft: the task with its arguments.
        template: the template.
        project: the repository's name, which need not be an English word.
        language: whether its English is judged by rules.
    """
    names = sorted(each.name for each in draft.arguments)
    if len(template) > _LONGEST:
        return InstructionFault("too-long", f"longer than {_LONGEST} characters")
    plain = _OWN_BRACES.sub(lambda found: "" if found[0] in draft.task.code else found[0], _PLACE.sub("", template))
    if _BRACES.search(plain):
        return InstructionFault("not-a-template", "has braces that are no argument")
    free = {each.name for each in draft.followers}
    said = [name for name in _PLACE.findall(template) if name not in free]
    if sorted(said) != names:
        wrong = sorted({*names} ^ {*said}) or sorted(name for name in {*said} if said.count(name) > 1)
        return InstructionFault("not-each-once", f"{', '.join(wrong)}: missing, unknown, or more than once")
    values = [way for each in draft.fixed for way in each.values if way != each.said]
    names = [project, *_fixed_words(draft), *values]
    names += [each.said for each in (*draft.arguments, *draft.fixed)]  # an option's own words
    found = (each for each in _faults(draft, template) if language or not _PROSE_SLASH.fullmatch(each.evidence))
    return next(found, None) or (next(slips(template, names), None) if language else None)


def _without_arguments(draft: RecipeDraft) -> str:
    """The reference with a number in place of each value that varies."""
    return _PLACE.sub("1", draft.reference)


def _own_values(draft: RecipeDraft) -> str:
    """The values of the arguments, one a line."""
    return "\n".join(word for each in draft.arguments for words in each.values.values() for word in words)


def _is_called(argument: DraftArgument, code: str) -> bool:
    """Whether a piece of Python calls the function that the argument goes to, or names the argument."""
    *owners, parameter = argument.place.split(".")
    return any(re.search(rf"\b{re.escape(name)}\s*\(", code) for name in owners[-2:]) or parameter in code


def _unclear(draft: RecipeDraft) -> str:
    """Why nobody could tell which code an instruction means; empty if it is clear."""
    if draft.task.kind == "shell":
        return ""
    names = names_called(draft.task)
    if not names:
        return "it calls nothing of the repository by a name"
    if not section_of(draft.task) or draft.task.block.is_heading_shared or len(draft.task.block.headings) < 2:
        return "no heading of its own names its section"
    if draft.task.block.setup and not setup_of(draft.task):
        return "it needs the code of another section, whose heading cannot be said"
    own = _without_prompts(draft.task.block.code)
    found = [_without_prompts(code) for code in _FENCED.findall(draft.section)]
    others = [code for at, code in enumerate(found) if code not in own or code in found[:at]]
    others += map(_without_prompts, draft.task.block.beside)
    called = [re.compile(rf"\b{re.escape(name.removesuffix('()'))}\s*[(.]") for name in names]
    alike = [code for code in others if all(each.search(code) for each in called)]
    return f"the section has another example with {', '.join(names)}" if alike else ""


def _without_prompts(code: str) -> str:
    """Code in one line, without comments and the signs before its lines."""
    return " ".join(re.sub(r"(?m)^\s*(?:(?:>>>|\.\.\.)(?= |$)|#.*$)", "", code).split())


def _fixed_words(draft: RecipeDraft) -> list[str]:
    """The words that every instruction of the task has: its program or example, and its place."""
    task = draft.task
    entry = names_called(task) if task.kind == "python" else [entry_name(task)]
    folders = PurePosixPath(task.program).parent.parts  # `main.py in pytorch`
    told = unknown(purpose(draft).rest)
    return [each for each in (*entry, section_of(task), setup_of(task), task.block.page, *folders, *told) if each]


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
    recipe = recipe_of(draft)
    block = draft.task.block
    said = [*draft.arguments, *draft.fixed]  # what a switch does, and the names, may have numbers
    words = [text for each in said for text in (each.said, each.help, *each.values)]
    documentation = "\n".join(
        [*block.headings, *_fixed_words(draft), block.page, block.prose, block.code, draft.task.program, *words]
    )
    fixed = _said_fixed(draft, template)
    for ways in ways_of(draft):
        wanted = {each.name: each.values[ways[each.name]] for each in draft.arguments}
        text = recipe.render_instruction(template, ways)
        reference = recipe.render_reference(wanted)
        yield from _contradictions(fixed, reference)
        yield from faults(text, {name: [way] for name, way in ways.items()}, reference)
        yield from unattested(text, reference, documentation)


def recipe_of(draft: RecipeDraft) -> Recipe:
    """What of a draft's recipe its instructions and references are rendered by."""
    return Recipe.model_construct(
        type=PYTHON_TYPE if draft.task.kind == "python" else SHELL_TYPE,
        reference=draft.reference,
        arguments={each.name: each.values for each in draft.arguments},
        together=draft.together,
    )


def ways_of(draft: RecipeDraft) -> Iterator[dict[str, str]]:
    """How the values of a few combinations are said; each value of each argument is among them."""
    most = max(len(draft.together), *(len(each.values) for each in draft.arguments))
    for turn in range(min(most, _COMBINATIONS)):
        ways = {each.name: list(each.values)[turn % len(each.values)] for each in draft.arguments}
        line = draft.together[turn % len(draft.together)] if draft.together else {}
        own = {each.name: _said_by(each, line[each.name]) for each in draft.arguments if each.name in line}
        yield {**ways, **own}


def _said_by(argument: DraftArgument, words: tuple[str, ...]) -> str:
    return next(said for said, wanted in argument.values.items() if wanted == words)


def _said_fixed(draft: RecipeDraft, template: str) -> list[DraftArgument]:
    """The fixed settings whose value a template says."""
    return [each for each in draft.fixed if any(way in template for way in each.values if way)]


def _contradictions(fixed: Sequence[DraftArgument], reference: str) -> Iterator[InstructionFault]:
    """The words that an instruction says of fixed settings and that the reference does not have."""
    for each in fixed:
        words = next(iter(each.values.values()), ())
        if lacking := [word for word in words if word not in reference]:
            yield InstructionFault("not-in-reference", f"{each.place}: {' '.join(lacking)}")


def judged(
    draft: RecipeDraft, template: str, kept: list[str], whose: tuple[str, str], *, language: bool = True
) -> list[BuildDecision]:
    """Add a template to the kept ones, or say why not.

    Args:
        draft: the task with its arguments.
        template: the template.
        kept: the templates so far; it may grow.
        whose: who wrote it, and the project's name.
        language: whether its English is judged by rules.
    """
    fault = refused(draft, template, whose[1], language=language)
    if fault is None:
        wording = _PLACE.sub("\0", template)
        alike = max((likeness(wording, _PLACE.sub("\0", other)) for other in kept), default=0.0)
        if alike < ALIKE:
            kept.append(template)
            return []
        fault = InstructionFault("near-duplicate", f"{alike:.2f} like another")
    why = f"{whose[0]}: {fault.evidence}: {template}"
    return [BuildDecision("instructions", draft.task.name, False, fault.reason, why)]


def _scene(draft: RecipeDraft, project: str, way: int = 0) -> Scene:
    task = draft.task
    about = purpose(draft)
    if task.kind == "python":
        verb, what = _EXAMPLES[way % len(_EXAMPLES)]
        page = page_name(task.block.page)
        section = f'under "{about.section}" ' if about.section else ""
        example = what.format(names=joined(names_called(task)), section=section, page=page).replace("  ", " ").strip()
        example += f' after the setup under "{setup}"' if (setup := setup_of(task)) else ""
        doing = f"{grammar().verbs[verb].gerund} {example}"
        return Scene(f"{verb} {example}", doing, project, "Python snippet", (), False)
    said = {each.place for each in said_settings(draft)}
    command = subcommand(task)
    more = any(each.place not in said and [*each.values] != [command] for each in draft.fixed)
    more = more or is_launched(task) or _is_partly_said(draft, said)
    page = page_name(task.block.page)
    where: tuple[str, ...] = (f"the example in {page}", page) if more else ()
    if more and about.section:
        where = (f'the example under "{about.section}" in {page}', f'the section "{about.section}" of {page}')
    if draft.together:  # of several examples
        where = where[1:]
    processes = _processes(draft)
    return Scene(
        do=f"{about.do}{processes}",
        doing=f"{about.doing}{processes}",
        project=project,
        code="command",
        where=where,
        more=more,
    )


def _is_partly_said(draft: RecipeDraft, said: Collection[str]) -> bool:
    """Whether the command has words that neither an argument nor a fixed setting in the instruction stands for."""
    last = draft.task.check.invocations[-1] if draft.task.check.invocations else None
    settings = [*draft.arguments, *(each for each in draft.fixed if each.place in said)]
    ways = [(way, words) for each in settings for way, words in each.values.items()]
    known = {word for way, words in ways for word in (way, *way.split(), *words)} | {subcommand(draft.task)}
    given = settings_of(last.argv, {}) if last else {}
    return any(word not in known for name, words in given.items() for word in (words or [name]))


def _processes(draft: RecipeDraft) -> str:
    """How many processes are meant, if the section leaves it open: ` on 4 GPUs`, ` in a single process`."""
    shown = draft.section or draft.task.block.code
    name = started_name(draft.task).rpartition("/")[2]
    processes = _PROCESSES.search(draft.reference.partition(name)[0])
    launchers = [line.partition(name)[0] for line in _lines_of(draft.section) if name in line]
    if (
        processes is None and _PROCESSES.search(draft.task.code) is None and any(map(_PROCESSES.search, launchers))
    ):  # behind the name it is the program's own option
        return " in a single process"
    is_open = processes is not None and {*_PROCESSES.findall(shown), *_OPEN.findall(shown)} != {processes[1]}
    return f" on {processes[1]} GPU{'s' * (processes[1] != '1')}" if processes and is_open else ""


def _lines_of(section: str) -> list[str]:
    """The lines of a text, with continuations joined."""
    return re.sub(r"\\[ \t]*\n", " ", section).split("\n")


def wording(draft: RecipeDraft) -> tuple[object, ...]:
    """What instructions can say of a draft besides values; a key to compare drafts."""
    try:
        scene, fixed = _scene(draft, ""), sorted((each.said, *each.values) for each in said_settings(draft))
    except ValueError:
        return (draft.task.name,)
    return scene.do, scene.where, tuple(fixed), scene.code, tuple(sorted(each.said for each in draft.arguments))


def page_name(path: str) -> str:
    """A page's name in prose."""
    folder, _, name = path.rpartition("/")
    if path.endswith(".ipynb"):
        return f'the notebook "{path}"'
    if not _SAYABLE.fullmatch(f"page {path}"):
        return f'"{path}"'
    if not is_readme(name) or not _THE_README.fullmatch(name):
        return path
    return f"the README in {folder}" if folder else "the README"
