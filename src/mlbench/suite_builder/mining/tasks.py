"""The second half of step 2: commands and snippets of pages that the repository accepts.

Every piece of code becomes a task or a decision with its reason. The interface check decides on the folder, on filled
placeholders, and on whether the page is still true at this commit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mlbench.interface_check.checker import Checker
from mlbench.records import Check, CheckStatus
from mlbench.shell.languages import LONGEST, shell_fault_of
from mlbench.shell.shell_static import words
from mlbench.suite_builder.docs.code_blocks import LONGEST_SEGMENT
from mlbench.suite_builder.llm import Asker
from mlbench.suite_builder.mining import snippets, task_selection
from mlbench.suite_builder.mining.attested_values import AttestedValues
from mlbench.suite_builder.mining.check_snippets import (
    ROUNDS,
    SPARES,
    CheckRequest,
    SnippetCheck,
    asked,
    form_of,
    subject_of,
)
from mlbench.suite_builder.mining.commands import DocCommand, commands, words_of
from mlbench.suite_builder.mining.families import family_of, spares_of
from mlbench.suite_builder.mining.placeholders import GAP, Filled, filled, places_filled, unset_filled
from mlbench.suite_builder.mining.refusals import left_out, refused
from mlbench.suite_builder.mining.section_examples import examples
from mlbench.suite_builder.mining.shell_variables import ShellVariables, page_variables
from mlbench.suite_builder.mining.working_dirs import WorkingDirs, named_first, roots_of
from mlbench.suite_builder.priorities import NO_PRIORITIES, Priorities
from mlbench.suite_builder.quality.round_trip import placeholder
from mlbench.suite_builder.types import BuildDecision, CodeBlock, DraftTask

WRONG = words(
    "unknown-argument invalid-choice invalid-type missing-argument conflicting-arguments ambiguous-argument"
    " wrong-number-of-values no-such-file no-such-program no-such-name call-does-not-bind undefined-name"
)
"""Reasons that mean that the program contradicts the page."""
_WHY = {
    "other-language": "it is neither shell nor Python",
    "too-long": f"longer than {LONGEST} characters",
    "not-of-the-repository": "it starts or imports nothing of the repository",
    "only-shows": "nothing is called that could be given another value",
    "deprecated": "its section is deprecated",
    "waits": "it asks a person, or goes on for ever",
    "too-many-lines": f"more than {snippets.MOST_LINES_OF_CODE} lines of code",
    "gap": "`...` stands where a value belongs",
}


_SEARCH_PATH = re.compile(r"(?m)^[ \t]*(?:export[ \t]+)?PYTHONPATH=\S+[ \t]*$")


@dataclass(frozen=True)
class Mined:
    """The tasks in the order of the pages, and a decision on every piece of code.

    Attributes:
        spares: by a task's name, other commands of its form; one takes its place if the task cannot be said.
    """

    tasks: tuple[DraftTask, ...]
    decisions: tuple[BuildDecision, ...]
    spares: Mapping[str, tuple[DraftTask, ...]] = field(default_factory=dict)


async def mine(
    repository: Path,
    found: Sequence[CodeBlock],
    checker: Checker,
    *,
    most: int | None = None,
    asker: Asker | None = None,
    workers: int = 2,
    show: Callable[[int, int], None] = lambda done, of: None,
    first: Priorities = NO_PRIORITIES,
) -> Mined:
    """The tasks of a repository.

    Args:
        repository: its checkout.
        found: the blocks of all pages, in the order of each page.
        checker: of this repository.
        most: the largest number of tasks; the most different ones are kept.
        asker: a model that chooses and names tasks; None for rules alone.
        workers: checks in parallel.
        show: called with the number of pieces that are checked, and of those to check.
        first: what a person wants first.

    Raises:
        SandboxUnavailableError: this machine failed, not the repository.
    """
    places = WorkingDirs(repository, roots_of(checker.subject))
    wanted, decisions = _wanted(found, places, by_model=asker is not None)
    wanted, repeated = _once(wanted)
    decisions += repeated
    answers = await asked(wanted, checker, workers, most, show, first)
    accepted: list[DraftTask] = []
    for at, want in enumerate(wanted):
        if at not in answers:
            decisions.append(_not_asked(at, wanted, answers))
            continue
        answer = answers[at]
        if _only_installs(answer.check):
            why = "it runs setup.py, and nothing else"
            decisions.append(left_out(subject_of(want.block), want.code, want.kind, "installs", why))
        elif answer.check.status is CheckStatus.ACCEPTED:
            accepted.append(_task(replace(want, code=answer.code), answer.folder, answer.check, places))
        else:
            decisions.append(refused(want, answer.folder, answer.check, places))
    kept, merged = task_selection.distinct(accepted)
    decisions += [_merged(task, other) for task, other in merged]
    if asker is not None and asker.model is not None:
        from mlbench.suite_builder.mining.llm_selection import chosen

        kept, more = await chosen(kept, asker)
        decisions += more
    if most is not None and len(kept) > most:
        few = task_selection.diverse(kept, most, first)
        there = {id(task) for task in few}
        decisions += [
            left_out(subject_of(task.block), task.code, task.kind, "enough", f"{most} tasks are wanted")
            for task in kept
            if id(task) not in there
        ]
        kept = few
    tasks = [replace(task, family=family_of(task, wanted, answers)) for task in task_selection.named(kept)]
    decisions += [
        BuildDecision("tasks", subject_of(task.block), True, "", task.name, task.code, task.kind) for task in tasks
    ]
    spares = spares_of(kept, tasks, merged, lambda task: family_of(task, wanted, answers))
    return Mined(tuple(tasks), tuple(decisions), spares)


def beside(task: DraftTask) -> list[DraftTask]:
    """The two commands of a task's family that share the fewest words with its own: one may work where it fails.

    They were not checked.
    """
    own = set(task.code.split())
    apart = sorted(task.family, key=lambda block: -len(set(block.code.split()) - own))  # stable
    every = {block.code: block for block in (*task.family, replace(task.block, code=task.code))}
    return [
        replace(task, block=each, code=each.code, family=tuple(every[code] for code in every if code != each.code))
        for each in apart[:SPARES]
    ]


def in_place_of(
    decisions: Sequence[BuildDecision], task: DraftTask, spare: DraftTask, fails: str = ""
) -> list[BuildDecision]:
    """The decisions after another command of its form has taken a task's place.

    Args:
        decisions: those of `mine`.
        task: the task.
        spare: the other one.
        fails: why the task's own command fails whatever its values; empty if an instruction cannot say it.
    """
    old, new = subject_of(task.block), subject_of(spare.block)
    why = f"as {new}, which {'works' if fails else 'an instruction can say'}"
    own = ("fails", fails) if fails else ("same-form", why, new)
    changed = {
        (old, task.code): left_out(old, task.code, task.kind, *own),
        (new, spare.code): BuildDecision("tasks", new, True, "", task.name, spare.code, spare.kind),
    }
    return [
        changed.get((each.subject, each.code), replace(each, like=new, why=why) if each.like == old else each)
        for each in decisions
    ]


def _wanted(
    found: Sequence[CodeBlock], places: WorkingDirs, *, by_model: bool = False
) -> tuple[list[CheckRequest], list[BuildDecision]]:
    """What the check is asked, and why other pieces are left out.

    Args:
        found: the pages' code.
        places: the repository's programs and folders.
        by_model: a model gives better values for the places that only have a name, such as `INPUT_FILE`.
    """
    wanted: list[CheckRequest] = []
    decisions: list[BuildDecision] = []
    found = [replace(block, language="shell") if _starts(block, places) else block for block in found]
    joined = examples(found)
    found = [block for block, _ in joined]
    known, attested = page_variables(found), AttestedValues(found, places)
    places.learn(found)
    for at, (block, parts) in enumerate(joined):
        reason = "deprecated" if block.is_deprecated else "too-long" if len(block.code) > LONGEST else ""
        if reason or not block.language:
            reason = reason or "other-language"
            decisions.append(left_out(subject_of(block), block.code, block.language, reason, _WHY[reason]))
            continue
        if block.language == "shell":
            pieces = _shell(block, known[at], places, attested, by_model=by_model)
        else:
            above = [
                each for each in found[max(0, at - 200) : at] if each.page == block.page and each.language == "python"
            ]
            pieces = _python(block, above, places)
            whole = subject_of(block)
            decisions += [
                left_out(subject_of(part), part.code, "python", "same-code", f"a part of {whole}", whole)
                for part in parts
                if len(parts) > 1
            ]
        for piece in pieces:
            if isinstance(piece, BuildDecision):
                decisions.append(piece)
            else:
                wanted.append(piece)
    return wanted, decisions


def _starts(block: CodeBlock, places: WorkingDirs) -> bool:
    """Whether code without a known language starts one of the repository's programs, whatever its label says."""
    if block.language or len(block.code) > LONGEST:
        return False
    code = filled(block.code).code
    found = [] if shell_fault_of(code) else commands(code)
    return (
        bool(found)
        and all(each.reason or places.has_program(block.page, each.words) for each in found)
        and any(not each.reason for each in found)
    )


def _shell(
    block: CodeBlock, known: ShellVariables, places: WorkingDirs, attested: AttestedValues, *, by_model: bool
) -> Iterator[CheckRequest | BuildDecision]:
    gaps = filled(block.code)
    found = commands(gaps.code, known)
    for command in found:
        own = _narrowed(block, command, is_one=sum(not each.reason for each in found) == 1)
        if command.reason == "control-flow" and not any(
            places.has_program(block.page, words, command.folder) for words in command.inner
        ):
            reason = "not-of-the-repository"
            yield left_out(subject_of(own), command.code, "shell", reason, _WHY[reason])
            continue
        if command.reason:
            yield left_out(subject_of(own), command.code, "shell", command.reason, command.why)
            continue
        named = places_filled(command.code, places.is_setting) if by_model else Filled(command.code)
        command = replace(command, code=named.code)
        whole = unset_filled(command.code)
        gaps_left = (each for each in GAP.finditer(whole.code) if not places.is_setting(each[0].strip()))
        if left := next(gaps_left, None):
            yield left_out(subject_of(own), command.code, "shell", "gap", f"{left[0]} stands where a value belongs")
            continue
        replaced = tuple(each for each in (*gaps.replaced, *named.replaced, *whole.replaced) if each[1] in whole.code)
        words = words_of(unset_filled(_last(command)).code)
        code, chosen = attested.put(whole.code, words, replaced, block.page, command.folder)
        folders = named_first(places.of_command(block.page, command.folder, words), block.prose)
        if folders and (unfilled := placeholder(code)):  # here, so that another command of the program counts
            yield left_out(subject_of(own), command.code, "shell", "placeholder", f"nothing says what {unfilled} is")
        elif folders:
            known_values = len(replaced) - len(chosen)
            on_path = _SEARCH_PATH.search(block.code) or _SEARCH_PATH.search(known.texts.get("PYTHONPATH", ""))
            path = on_path[0].strip() if on_path else ""
            yield CheckRequest(own, "shell", code, tuple(folders), chosen, known_values, path)
        else:
            reason = "not-of-the-repository"
            yield left_out(subject_of(own), command.code, "shell", reason, _WHY[reason])


def _last(command: DocCommand) -> str:
    """The command itself, without the assignments before it."""
    lines = command.rows[1] - command.rows[0] + 1
    return "\n".join(command.code.split("\n")[-lines:])


def _narrowed(block: CodeBlock, command: DocCommand, *, is_one: bool) -> CodeBlock:
    """The block cut to one command, with its comments as prose, a short segment, and what it reads of other blocks.

    Args:
        block: the whole block.
        command: one of its commands.
        is_one: whether it is the only command of the block that could be a task.
    """
    begin = block.lines[0]
    lines = (min(begin + command.rows[0], block.lines[1]), min(begin + command.rows[1], block.lines[1]))
    first, last = block.segment
    if last - first >= LONGEST_SEGMENT:
        first, last = max(first, lines[0] - LONGEST_SEGMENT // 2), max(lines[1], min(last, lines[1] + 5))
    prose = "\n".join(each for each in (block.prose, command.said) if each)
    code = "\n".join([*(text for text in command.reads if text not in block.code), block.code])
    lead = command.said.split("\n")[-1] or (block.lead if is_one else "")
    return replace(block, lines=lines, segment=(first, last), prose=prose, code=code, lead=lead)


def _python(
    block: CodeBlock, above: Sequence[CodeBlock], places: WorkingDirs
) -> Iterator[CheckRequest | BuildDecision]:
    whole = snippets.whole(block, above)
    subject = subject_of(block)

    def aside(reason: str, why: str = "") -> BuildDecision:
        return left_out(subject, block.code, "python", reason, why or _WHY[reason])

    folders = places.of_python(block.page, snippets.imported(whole.code), snippets.texts(whole.code))
    if not folders:
        yield aside("not-of-the-repository")
    elif snippets.only_shows(block.code):
        yield aside("only-shows")
    elif whole.lacking:
        yield aside("fragment", f"nothing on the page says what {', '.join(whole.lacking[:5])} is")
    elif block.cut:
        first = next(filter(None, (line.strip() for line in block.cut.splitlines())), "")
        yield aside("fragment", f"its section goes on with code that lacks something: {first[:60]}")
    elif snippets.has_gap(whole.code):
        yield aside("gap")
    elif snippets.waits(whole.code):
        yield aside("waits")
    elif len(whole.code) > LONGEST:
        yield aside("too-long")
    elif snippets.lines_of_code(whole.code) > snippets.MOST_LINES_OF_CODE:
        yield aside("too-many-lines")
    else:
        yield CheckRequest(
            replace(block, segment=whole.segment, setup=whole.setup), "python", whole.code, tuple(folders)
        )


def _once(wanted: Sequence[CheckRequest]) -> tuple[list[CheckRequest], list[BuildDecision]]:
    """Requests without repeats; of equal code in equal folders, the one with the most prose."""
    best: dict[tuple[str, tuple[str, ...]], CheckRequest] = {}
    for want in wanted:
        key = (want.code.strip(), want.folders)
        if key not in best or len(best[key].block.prose) < len(want.block.prose):
            best[key] = want
    kept = {id(want) for want in best.values()}
    repeated = [(want, best[want.code.strip(), want.folders].subject) for want in wanted if id(want) not in kept]
    return [want for want in wanted if id(want) in kept], [
        left_out(want.subject, want.code, want.kind, "same-code", f"as {other}", other) for want, other in repeated
    ]


def _only_installs(check: Check) -> bool:
    """Whether a script of the repository does nothing but build and install: `sh make.sh`."""
    return bool(check.invocations) and all(each.program.endswith("setup.py") for each in check.invocations)


def _task(want: CheckRequest, folder: str, check: Check, places: WorkingDirs) -> DraftTask:
    path = folder if folder == "." else f"./{folder}"
    last = check.invocations[-1]
    program = last.program
    if want.kind == "python":
        programs = (places.program_of(call, folder) for call in task_selection.by_weight(check))
        program = next((file for file in programs if file), "")
    return DraftTask(
        "", want.block, want.kind, path, want.code, program, check, filled=len(want.replaced), attested=want.attested
    )


def _not_asked(at: int, wanted: Sequence[CheckRequest], answers: Mapping[int, SnippetCheck]) -> BuildDecision:
    alike = [other for other in answers if form_of(wanted[other]) == form_of(wanted[at])]
    good = [other for other in alike if answers[other].check.status is CheckStatus.ACCEPTED]
    like = wanted[(good or alike or [at])[0]].subject
    if good:
        reason, why = "same-form", f"as {like}, which says more"
    elif len(alike) >= ROUNDS:
        reason, why = "as-refused", f"as {like} and others, which are refused"
    else:
        reason, why, like = "enough", "there are as many tasks as are wanted; it was not asked", ""
    return left_out(wanted[at].subject, wanted[at].code, wanted[at].kind, reason, why, like)


def _merged(task: DraftTask, other: DraftTask) -> BuildDecision:
    like = subject_of(other.block)
    return left_out(subject_of(task.block), task.code, task.kind, "same-form", f"as {like}, which says more", like)
