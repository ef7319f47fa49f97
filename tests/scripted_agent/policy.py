"""The brain: from the task and from what was seen so far, what to do next. It remembers nothing itself.

Look around, read the documents that matter, choose an example, ask its program for its options, write run.sh with the
instruction's values, run it for a moment, read the error, mend it, end.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.scripted_agent.commands import command, knobs_of_example
from tests.scripted_agent.examples import Example, examples, ranked
from tests.scripted_agent.matching import Told
from tests.scripted_agent.observations import CHUNK, TRY, Act, Done, Run, Seen, look, read, write
from tests.scripted_agent.programs import Knob, knobs_of_help, knobs_of_script
from tests.scripted_agent.python_code import imported, program, signatures, vocabularies
from tests.scripted_agent.sources import knobs_of_documents, knobs_of_source
from tests.scripted_agent.tasks import Task
from tests.scripted_agent.words import rarities, stems

_DOCUMENTS = 3
_CHUNKS = 3
_TRIES = 5
_MISSING = re.compile(r"No module named '?([\w]+)")
_PACKAGES = {
    "absl": "absl-py",
    "yaml": "pyyaml",
    "sklearn": "scikit-learn",
    "PIL": "pillow",
    "cv2": "opencv-python-headless",
}


@dataclass(frozen=True)
class Answer:
    """The files that are to be left, by path."""

    files: dict[str, str]


Twist = Callable[[Answer, Seen], Answer]
"""What an engineer with a bad habit makes of a right answer."""


def next_act(task: Task, seen: Seen, runs: bool = True, twist: Twist | None = None) -> Act:
    """What to do next.

    Args:
        runs: whether there is a shell at all; without one, nothing is asked of programs and nothing is tried.
        twist: what becomes of the answer before it is written.
    """
    if not seen.looked:
        return look()
    if wanted := _unread(task, seen):
        return wanted
    example = chosen(task, seen)
    if example is None:
        return Done("I found no example in the documents that does what the instruction asks for.")
    if question := _question(task, seen, example, runs):
        return question
    answer = answered(task, seen, example)
    answer = twist(answer, seen) if twist else answer
    for path, text in answer.files.items():
        if seen.written.get(path, "").strip() != text.strip():
            return write(path, text)
    if not runs:
        return Done("run.sh is written; it does what the instruction asks for.")
    if not seen.tries and len(seen.failures) < _TRIES:
        return Run(TRY, "I try it.")
    last = (seen.tries or seen.failures or ("",))[-1]
    if (name := missing_package(last, seen)) and seen.tries:
        return Run(f"pip install -q {name}", f"{name} is missing; I install it.")
    if "exit status 0" in last or "exit status 124" in last:
        return Done("run.sh works: it runs the program with the values of the instruction.")
    return Done("run.sh is written, with the values of the instruction; its last run did not end well.")


def documents_to_read(task: Task, files: tuple[str, ...]) -> list[str]:
    """The main README, then the documents whose folders share most words with the instruction."""
    paths = [f for f in files if re.search(r"(?:^|/)(?:readme[^/]*|[^/]*\.(?:md|rst))$", f, re.I)]
    main = [p for p in paths if re.fullmatch(r"readme[^/]*", p, re.I)]
    return main[:1] + [p for p in paths if p not in main[:1]]


def _unread(task: Task, seen: Seen) -> Run | None:
    paths = documents_to_read(task, seen.files)
    for path in [*paths[:1], *ranked_documents(task, seen)[: _DOCUMENTS + 1]]:
        if wanted := _more_of(path, seen):
            return wanted
    return None


def ranked_documents(task: Task, seen: Seen, own_first: bool = False) -> list[str]:
    """The documents, those first that the main README and their paths say most about; the main one leads or ends."""
    paths = documents_to_read(task, seen.files)
    main = seen.texts.get(paths[0], "") if paths else ""
    near = sorted(paths[1:], key=lambda p: (-_relevance(p, main, task, paths), p.count("/"), p))
    if own_first and near and _relevance(near[0], main, task, paths) > 0 and not _shows(task, main, seen):
        return [*near, paths[0]]
    return [*paths[:1], *near]


def _shows(task: Task, text: str, seen: Seen) -> bool:
    """Whether a document has several examples of the wanted kind: then it is no mere list of other documents."""
    return sum(each.kind == task.kind for each in examples({"README.md": text}, seen.files)) > 1


def _more_of(path: str, seen: Seen) -> Run | None:
    text = seen.texts.get(path)
    if text is None:
        return read(path)
    if path in seen.partial and len(text) < _CHUNKS * CHUNK:
        return read(path, _last_line(text))
    return None


def _relevance(path: str, main: str, task: Task, paths: list[str]) -> float:
    """How many words of a document's path, and of the lines that speak of its folder, the instruction has."""
    folder = posixpath.dirname(path)
    bags = {}
    for each in paths:
        place = posixpath.dirname(each)
        lines = [li for li in main.split("\n") if place and (place in li or f"**{posixpath.basename(place)}" in li)]
        bags[each] = set(stems(" ".join([each.replace("/", " ").replace("_", " "), *lines])))
    rarity = rarities(bags.values())
    wanted = set(stems(task.instruction))
    python = task.kind == "python" and re.search(r"api|library|python|doc", path) is not None
    return sum(rarity[word] for word in bags[path] & wanted) + (1.0 if python else 0) - (0 if folder else 0.1)


def chosen(task: Task, seen: Seen) -> Example | None:
    """The example that shares most with the instruction."""
    found = [each for each in examples(seen.documents, seen.files) if each.kind == task.kind]
    if task.kind == "python":
        whole = [
            each
            for each in found
            if re.search(r"^\w.*\(|print", re.sub(r"^(?:from|import).*", "", each.code, flags=re.M), re.M)
        ]
        found = whole or found
    order = ranked(found, task.instruction)
    return order[0] if order else None


def _last_line(text: str) -> int:
    """The bytes before the last line with words: what ends an output is lost where an agent strips it."""
    known = text.rstrip()
    before = known[: known.rfind("\n") + 1]
    return len((before or text).encode())


def _help_command(example: Example) -> str:
    path = posixpath.relpath(example.program, example.cwd) if "." in example.program else example.program
    start = f"python {path}" if path.endswith(".py") else path
    inside = f"cd {example.cwd} && " if example.cwd != "." else ""
    return f"( {inside}{start} --help 2>&1 | head -n 150 )"


def _question(task: Task, seen: Seen, example: Example, runs: bool) -> Run | None:
    if example.kind == "python":
        for path in _sources(example, seen):
            if path not in seen.texts:
                return read(path)
        return None
    if example.program.endswith(".sh") or (not runs and example.program.endswith(".py")):
        return read(example.program) if example.program not in seen.texts else None
    if not runs:
        return None
    question = _help_command(example)
    if question not in seen.answers:
        return Run(question, "I ask the program for its options.")
    if (name := missing_package(seen.answers[question], seen)) and not knobs_of_help(seen.answers[question]):
        return Run(f"pip install -q {name}", f"{name} is missing; I install it.")
    return None


def _sources(example: Example, seen: Seen) -> list[str]:
    """The repository's modules that an example imports."""
    found = []
    for module in imported(example.code):
        base = posixpath.normpath(posixpath.join(example.cwd, module.replace(".", "/")))
        found += [path for path in (f"{base}.py", f"{base}/__init__.py") if path in seen.files][:1]
    if any(path.endswith("__init__.py") for path in found):
        names = set(re.findall(r"\b[A-Z]\w+|\b\w+(?=\()", example.code))
        for path in [p for p in found if p.endswith("__init__.py")]:
            for module, listed in re.findall(r"from \.?([\w.]*) import \(?([^\n)]+)", seen.texts.get(path, "")):
                if names & set(re.findall(r"\w+", listed)):
                    inner = posixpath.join(posixpath.dirname(path), module.split(".")[-1] + ".py")
                    found += [inner] if inner in seen.files else []
    return list(dict.fromkeys(found))[:4]


def answered(
    task: Task, seen: Seen, example: Example, told: Sequence[Knob] = (), told_back: Told | None = None
) -> Answer:
    """The files for the task as far as it is understood now.

    Args:
        told: what is known of the program's options.
        told_back: what came of earlier drafts.
    """
    documents = "\n\n".join(
        dict.fromkeys([example.words, seen.texts.get(example.where.document, ""), *seen.documents.values()])
    )
    moved = [f"cd {example.cwd}"] if example.cwd != "." else []
    if task.prefix:
        moved = [f"cd {task.prefix_folder}", task.prefix]
    own = ["export PYTHONPATH=$PWD"] if _needs_path(seen) else []
    if example.kind == "python":
        sources = [text for path, text in seen.texts.items() if path.endswith(".py")]
        vocabulary = [words for text in sources for words in vocabularies(text)]
        known = signatures("\n".join(sources))
        code = program(example.code, known, task.instruction, documents, seen.files, told_back, vocabulary)
        place = posixpath.normpath(posixpath.join(example.cwd, "solve.py"))
        script = "\n".join([*own, *moved, "python solve.py"])
        return Answer({place: code + "\n", "run.sh": script + "\n"})
    knobs = list(told) or known_knobs(seen, example)
    if not knobs and not example.program.endswith(".sh"):
        shown = knobs_of_example(example.code)
        named = knobs_of_documents(example.words + "\n" + seen.texts.get(example.where.document, ""))
        knobs = shown + [knob for knob in named if knob.name not in [each.name for each in shown]]
    line = command(example, knobs, task.instruction, documents, seen.files, told_back)
    return Answer({"run.sh": "\n".join([*own, *moved, *example.setup, line]) + "\n"})


def known_knobs(seen: Seen, example: Example) -> list[Knob]:
    """The options of an example's program, as far as it or its text told them."""
    if example.program.endswith(".sh"):
        return knobs_of_script(seen.texts.get(example.program, ""))
    return knobs_of_help(seen.answers.get(_help_command(example), "")) or knobs_of_source(
        seen.texts.get(example.program, "")
    )


def missing_package(output: str, seen: Seen) -> str:
    """The package that an output says is missing, if it is none of the repository's own and not installed already."""
    found = _MISSING.search(output)
    if not found or _is_own(found[1], seen):
        return ""
    name = _PACKAGES.get(found[1], found[1])
    return "" if name in seen.installed else name


def _is_own(name: str, seen: Seen) -> bool:
    return any(re.search(rf"(?:^|/){re.escape(name)}(?:\.py$|/)", path) for path in seen.files)


def _needs_path(seen: Seen) -> bool:
    """Whether the repository's own package was not found where its program runs."""
    said = [*seen.answers.values(), *seen.tries, *seen.failures]
    return any((found := _MISSING.search(text)) is not None and _is_own(found[1], seen) for text in said)
