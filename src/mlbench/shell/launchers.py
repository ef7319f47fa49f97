"""Find what a command line starts, behind `nohup`, `conda run`, `torchrun`, `python -u -m` and other launchers.

Pure: words in, words out. `launcher_table` says which options of a launcher take a value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from mlbench.reasons import Reason
from mlbench.shell.assignments import WORD
from mlbench.shell.launcher_table import (
    LAUNCHERS,
    MODULE_WRAPPERS,
    RUNNERS,
    SCRIPT_RUNNERS,
    TORCH_LAUNCHERS,
    LaunchSyntax,
)

Run = Literal["file", "module", "code", "program"]


@dataclass(frozen=True)
class LaunchTarget:
    """The program that a command line starts.

    Attributes:
        run: `file` and `module`: run by Python; `code`: Python code; `program`: found by its name or path.
        name: the path or module as written, the code, or the program's name.
        argv: its arguments.
        env: variables that launchers set for it.
        options: options of the interpreter (`-u`, `-W ignore`, `-O`).
        launchers: the names of the launchers, outermost first.
        injected: arguments that a launcher adds before `argv` (`--local_rank=0`).
        cwd: the folder that a launcher changes into, as written; empty if none does.
    """

    run: Run
    name: str
    argv: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    launchers: tuple[str, ...] = ()
    injected: tuple[str, ...] = ()
    cwd: str = ""


@dataclass(frozen=True)
class Refusal:
    """A command line that the launcher itself refuses, or whose launcher is not known well enough (`cannot-follow`)."""

    reason: Reason
    message: str


_PYTHON = re.compile(r"python(?:\d+(?:\.\d+)*)?w?|pypy\d*|ipython\d?")
_DEEPEST = 12


def target(argv: tuple[str, ...], *, fed: str = "") -> LaunchTarget | Refusal:
    """Find the program that `argv` starts, behind all launchers.

    Args:
        argv: the words of a command.
        fed: its standard input, for `python -`.
    """
    return _unwrap(tuple(argv), fed, {}, (), "", 0)


def _unwrap(
    argv: tuple[str, ...], fed: str, env: dict[str, str], launchers: tuple[str, ...], cwd: str, depth: int
) -> LaunchTarget | Refusal:
    if not argv or depth > _DEEPEST:
        return Refusal(Reason.USAGE, f"`{' '.join(launchers)}` is given nothing to run")
    name = argv[0].rpartition("/")[2]
    around = (*launchers, name)

    def inner(
        words: tuple[str, ...], more: Mapping[str, str] | None = None, folder: str = ""
    ) -> LaunchTarget | Refusal:
        return _unwrap(words, fed, {**env, **(more or {})}, around, folder or cwd, depth + 1)

    if _PYTHON.fullmatch(name):
        return _python(argv, fed, LaunchTarget("code", "", env=env, launchers=launchers, cwd=cwd))
    if name == "env":
        return _env(argv, inner)
    if name == "accelerate":
        if argv[1:2] != ("launch",):
            return LaunchTarget("program", argv[0], argv[1:], env, launchers=launchers, cwd=cwd)
        argv, name = argv[1:], "accelerate-launch"
    if name in RUNNERS:
        at = next((at for at, word in enumerate(argv[1:], 1) if word == "run"), 0)
        if not at:
            return LaunchTarget("program", argv[0], argv[1:], env, launchers=launchers, cwd=cwd)
        split = _split(name, RUNNERS[name], (*argv[1:at], *argv[at + 1 :]))
        if isinstance(split, Refusal):
            return split
        if name in SCRIPT_RUNNERS:
            rest = tuple(word for word in split.rest if word != "--") if name == "streamlit" else split.rest
            return _script(name, rest, split.given, LaunchTarget("code", "", env=env, launchers=around, cwd=cwd))
        folder = next((split.given[option] for option in ("--cwd", "-C", "--directory") if option in split.given), "")
        if name == "uv" and split.rest and split.rest[0].endswith(".py"):
            return inner(("python", *split.rest), folder=folder)
        return inner(split.rest, folder=folder)
    if name not in LAUNCHERS:
        return LaunchTarget("program", argv[0], argv[1:], env, launchers=launchers, cwd=cwd)
    launcher = LAUNCHERS[name]
    split = _split(name, launcher, argv[1:])
    if isinstance(split, Refusal):
        return split
    if launcher.starts == "script":
        return _launched(name, launcher, split, LaunchTarget("code", "", env=env, launchers=around, cwd=cwd))
    if name in ("mpirun", "mpiexec", "sudo"):
        more = {match[1]: match[2] for word in split.exported if (match := WORD.fullmatch(word))}
        rest = split.rest
        while rest and name == "sudo" and (match := WORD.fullmatch(rest[0])):
            more[match[1]], rest = match[2], rest[1:]
        return inner(rest, more)
    return inner(split.rest[launcher.before :], folder=split.given.get("--chdir", split.given.get("-D", "")))


@dataclass(frozen=True)
class _Split:
    given: dict[str, str]
    rest: tuple[str, ...]
    exported: tuple[str, ...] = ()


def _split(name: str, launcher: LaunchSyntax, words: tuple[str, ...]) -> _Split | Refusal:
    """Split off the launcher's options. The rest starts with the program, or with the launcher's own words."""
    given: dict[str, str] = {}
    exported: list[str] = []
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        word = words[at]
        at += 1
        if word == "--":
            break
        if word in ("-h", "--help", "--version"):
            return Refusal(Reason.HELP, f"`{name} {word}` runs nothing")
        option, equals, value = word.partition("=")
        known = _known(launcher, option)
        if known is None and not word.startswith("--") and len(word) > 2 and word[:2] in launcher.values:
            known, equals, value = word[:2], "=", word[2:]
        if known is None and name == "nice" and re.fullmatch(r"-\d+", word):
            continue
        if known is None and re.fullmatch(r"-\w+", word) and all(f"-{letter}" in launcher.flags for letter in word[1:]):
            given.update({f"-{letter}": "" for letter in word[1:]})
            continue
        if known is None:
            if launcher.argparse:
                return Refusal(Reason.UNKNOWN_ARGUMENT, f"{name}: unrecognized arguments: {word}")
            return Refusal(Reason.CANNOT_FOLLOW, f"{name}: the option {word} is not known here")
        if known in launcher.pairs:
            at += 2
            continue
        if known in launcher.flags:
            if equals and launcher.argparse:
                return Refusal(Reason.USAGE, f"{name}: argument {known}: ignored explicit argument {value!r}")
            given[known] = value
            continue
        if not equals:
            if at >= len(words):
                return Refusal(Reason.MISSING_ARGUMENT, f"{name}: argument {known}: expected one argument")
            value = words[at]
            at += 1
        if known in launcher.integers and not re.fullmatch(r"\s*[-+]?\d+\s*", value):
            return Refusal(Reason.INVALID_TYPE, f"{name}: argument {known}: invalid int value: {value!r}")
        given[known] = value
        if known == "-x":
            exported.append(value)
    return _Split(given, words[at:], tuple(exported))


def _known(launcher: LaunchSyntax, option: str) -> str | None:
    """The option's name in the table. These argparse parsers accept `-` for `_`, and shortened names."""
    everything = launcher.values | launcher.flags | launcher.pairs
    if option in everything:
        return option
    if not launcher.argparse or not option.startswith("--"):
        return None
    name = "--" + option[2:].replace("-", "_")
    if name in everything:
        return name
    longer = [one for one in everything if one.startswith(name)]
    return longer[0] if len(longer) == 1 else None


def _launched(name: str, launcher: LaunchSyntax, split: _Split, around: LaunchTarget) -> LaunchTarget | Refusal:
    """Find the program that torchrun, accelerate, deepspeed or `python -m cProfile` starts."""
    if not split.rest:
        return Refusal(Reason.MISSING_ARGUMENT, f"{name}: the script to run is missing")
    if launcher.local_rank and "--use_env" not in split.given and "--no_local_rank" not in split.given:
        around = replace(around, injected=("--local_rank=0",))
    if "--no_python" in split.given:
        inner = target(split.rest)
        if isinstance(inner, Refusal):
            return inner
        return replace(
            inner,
            env={**around.env, **inner.env},
            launchers=(*around.launchers, *inner.launchers),
            injected=around.injected,
        )
    return _script(name, split.rest, split.given, around)


def _script(name: str, rest: tuple[str, ...], given: Mapping[str, str], around: LaunchTarget) -> LaunchTarget | Refusal:
    if not rest:
        return Refusal(Reason.MISSING_ARGUMENT, f"{name}: the script to run is missing")
    run: Run = "module" if "-m" in given or "--module" in given else "file"
    return replace(around, run=run, name=rest[0], argv=rest[1:])


def _env(argv: tuple[str, ...], inner: object) -> LaunchTarget | Refusal:
    """Read `env [-i] [-u NAME] [NAME=VALUE]... COMMAND`."""
    more: dict[str, str] = {}
    folder = ""
    at = 1
    while at < len(argv):
        word = argv[at]
        if word in ("-u", "--unset", "-C", "--chdir"):
            folder = argv[at + 1] if word in ("-C", "--chdir") and at + 1 < len(argv) else folder
            at += 2
        elif word == "-S":
            return Refusal(Reason.CANNOT_FOLLOW, "env: the option -S is not known here")
        elif word in ("-i", "-", "-0", "-v", "--ignore-environment") or word.startswith(("--unset=", "--chdir=", "-u")):
            at += 1
        elif match := WORD.fullmatch(word):
            more[match[1]] = match[2]
            at += 1
        elif word.startswith("-"):
            return Refusal(Reason.CANNOT_FOLLOW, f"env: the option {word} is not known here")
        else:
            return inner(argv[at:], more, folder)  # type: ignore[operator, no-any-return]
    return LaunchTarget("program", "env", argv[1:], more)


_FLAGS = "bBdEiIOPqRsSuvx"


def _python(argv: tuple[str, ...], fed: str, around: LaunchTarget) -> LaunchTarget | Refusal:
    """Read `python [OPTION]... [-c CODE | -m MODULE | FILE | -] [ARGUMENT]...`."""
    options: list[str] = []
    at = 1
    while at < len(argv):
        word = argv[at]
        at += 1
        if word == "-" or not word.startswith("-"):
            if word == "-":
                return replace(around, run="code", name=fed, argv=argv[at:], options=tuple(options))
            if argv[0].rpartition("/")[2].startswith("ipython") and argv[at : at + 1] == ("--",):
                at += 1
            return replace(around, run="file", name=word, argv=argv[at:], options=tuple(options))
        if word in ("--help", "--version", "--help-all", "--help-env", "--help-xoptions"):
            return Refusal(Reason.HELP, f"`python {word}` runs nothing")
        if word == "--check-hash-based-pycs":
            at += 1
            continue
        if word.startswith("--"):
            return Refusal(Reason.USAGE, f"python: unknown option {word}")
        letters = word[1:]
        for index, letter in enumerate(letters):
            rest = letters[index + 1 :]
            if letter in "cmWXQ":
                if not rest and at >= len(argv):
                    return Refusal(Reason.USAGE, f"python: argument expected for the -{letter} option")
                value = rest or argv[at]
                at += 0 if rest else 1
                if letter == "c":
                    return replace(around, run="code", name=value, argv=argv[at:], options=tuple(options))
                if letter == "m":
                    return _module(value, argv[at:], replace(around, options=tuple(options)))
                options += [f"-{letter}", value]
                break
            if letter in "hV?":
                return Refusal(Reason.HELP, f"`python -{letter}` runs nothing")
            if letter not in _FLAGS:
                return Refusal(Reason.USAGE, f"python: unknown option -{letter}")
            options.append(f"-{letter}")
    return replace(around, run="code", name=fed, options=tuple(options))


def _module(name: str, rest: tuple[str, ...], around: LaunchTarget) -> LaunchTarget | Refusal:
    """Read `python -m NAME`, whose module may be a launcher."""
    launcher = TORCH_LAUNCHERS.get(name) or MODULE_WRAPPERS.get(name)
    if launcher is None:
        return replace(around, run="module", name=name, argv=rest)
    if name == "coverage":
        if rest[:1] != ("run",):
            return replace(around, run="program", name=name, argv=rest)
        rest = rest[1:]
    split = _split(name, launcher, rest)
    if isinstance(split, Refusal):
        return split
    return _launched(name, launcher, split, replace(around, launchers=(*around.launchers, name)))
