"""Ask bash which commands a shell text runs, in order, with every word resolved.

Bash runs the text in a jail in which no program exists. Each command is only recorded (`runtime/follow.bash`).
A text that depends on the output of a program, or that can reach the records, gets the fault `cannot-follow`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from mlbench.reasons import Reason
from mlbench.records import ExitKind
from mlbench.sandbox.jail import WORKSPACE, Jail
from mlbench.shell.commands import TracedCommand
from mlbench.shell.shell_static import RECORDS, Scan, ShellFault, faults, scan, with_plain_tests

SECONDS = 10.0
"""Wall time for tracing one text."""
MOST_COMMANDS = 200
_WORD = re.compile(r"[\w.-]+")
_FOLLOW = "/opt/probe/follow.bash"
SCRIPT = "mlbench_candidate.sh"
"""The value of `$0`: the text runs as a file of this name in its starting folder."""
_AS_WORDS = f'BASH_ENV={_FOLLOW} /bin/bash -c -- "$1" {SCRIPT}'
_AS_FILE = f'printf "%s\\n" "$1" > {SCRIPT} && BASH_ENV={_FOLLOW} /bin/bash {SCRIPT}'
_TO_THE_LAST = "{ %s; } | /bin/cat"
"""Waits for the last process that could write a record. Used for texts with background processes."""
_NOWHERE = "/opt/none"
_KEEP = 4 * 1024 * 1024
OUTPUT = re.compile(r"mlbench-output-of-([\w.+-]*\w)")
"""The placeholder for a program's output, with the program's name."""
_UNSET = re.compile(r"mlbench-unset-(\w+)-")


@dataclass(frozen=True)
class BashTrace:
    """The commands that bash would run, and the faults on the way.

    Attributes:
        faults: the faults, `cannot-follow` first if the list of commands is not reliable.
        writes: a write failed here. Trace the text again in a writable jail of its own.
        said: the text on standard error, at most 4,000 characters.
    """

    commands: tuple[TracedCommand, ...] = ()
    faults: tuple[ShellFault, ...] = ()
    writes: bool = False
    said: str = ""


async def follow(
    jail: Jail,
    code: str,
    cwd: str = WORKSPACE,
    env: Mapping[str, str] | None = None,
    prefix: str = "",
    *,
    own: bool = False,
    chance: int | None = None,
    programs: Iterable[str] = (),
) -> BashTrace:
    """Trace the commands that bash would run for `prefix` and then `code`, in the folder `cwd` of the jail.

    The jail has the runtime at /opt/probe. A text that is not plain (`is_plain`) needs a writable jail of its own.

    Args:
        own: the jail belongs to this text and is writable. The text is saved there as a file.
        chance: a seed for random numbers and the clock. None: both are real.
        programs: the repository's console scripts. They precede tools of the same name.

    Raises:
        SandboxUnavailableError: the jail failed, not the text.
    """
    text = f"{prefix}\n{code}" if prefix else code
    if grave := [fault for fault in faults(text) if fault.reason in (Reason.TOO_LONG, Reason.NUL_BYTE)]:
        return BashTrace(faults=tuple(grave))
    if match := RECORDS.search(text):
        return BashTrace(
            faults=(ShellFault(Reason.CANNOT_FOLLOW, f"{match[0].strip()!r} could change what is recorded"),)
        )
    scanned = scan(text)
    variables = {**(env or {}), **({} if chance is None else {"MLBENCH_CHANCE": str(chance)})}
    variables["MLBENCH_PROGRAMS"] = " ".join(name for name in programs if _WORD.fullmatch(name))
    followed = await _run(jail, text, cwd, variables, scanned, own)
    if scanned.unset and not any(fault.reason == Reason.CANNOT_FOLLOW for fault in followed.faults):
        marked = _with_sentinels(text, scanned.unset)
        return _unresolved(followed, await _run(jail, marked, cwd, variables, scanned, own))
    return followed


def _with_sentinels(text: str, unset: tuple[str, ...]) -> str:
    """Give each unset variable a recognisable value, on the first line, so that lines keep their numbers."""
    positional = [name for name in unset if name.isdigit()]
    words = "".join(f"{name}=mlbench-unset-{name}-; " for name in unset if not name.isdigit())
    if positional:
        count = max(int(name) for name in positional)
        words += "set -- " + " ".join(f"mlbench-unset-{at}-" for at in range(1, min(count, 20) + 1)) + "; "
    return words + text


def _unresolved(plain: BashTrace, marked: BashTrace) -> BashTrace:
    """The trace without the recognisable values, with the unset variables that reach each command."""
    names = [
        tuple(sorted({name for word in command.argv for name in _UNSET.findall(word)})) for command in marked.commands
    ]
    if [command.argv[:1] for command in plain.commands] == [command.argv[:1] for command in marked.commands]:
        commands = tuple(
            replace(command, unresolved=unset) for command, unset in zip(plain.commands, names, strict=True)
        )
        return replace(plain, commands=commands)
    missing = sorted({name for unset in names for name in unset})
    if not missing:
        return plain
    return replace(
        plain, faults=(*plain.faults, ShellFault(Reason.UNRESOLVED_VARIABLE, f"no value for {', '.join(missing)}"))
    )


async def _run(jail: Jail, text: str, cwd: str, env: Mapping[str, str], scanned: Scan, own: bool) -> BashTrace:
    text = with_plain_tests(text)
    background = any(mark.background for mark in scanned.marks)
    argv, variables = ["/bin/bash", "-c", "--", text, SCRIPT], {**env, "BASH_ENV": _FOLLOW}
    if own or background:
        start = _AS_FILE if own else _AS_WORDS
        argv = ["/bin/bash", "-c", _TO_THE_LAST % start if background else start, "bash", text]
        variables = dict(env)
    execution, records = await jail.run(argv, cwd=cwd, env=variables, seconds=SECONDS, keep=_KEEP)
    stderr = execution.stderr[-4000:]
    if execution.exit_code == 126 and "cannot enter the folder" in stderr:
        return BashTrace(faults=(ShellFault(Reason.NO_SUCH_FOLDER, f"there is no folder {_inside(cwd)}"),))
    commands, complete = _commands(records, {**jail.env, **env}, scanned)
    trace_faults = [
        *_cannot(execution.ending, execution.dropped_bytes > 0 or not complete, commands, stderr),
        *_complaints(stderr),
    ]
    commands = [command for command in commands if command.kind != "limit"][:MOST_COMMANDS]
    return BashTrace(tuple(commands), tuple(trace_faults), "Read-only file system" in stderr, stderr)


def _cannot(ending: ExitKind, flooded: bool, commands: list[TracedCommand], stderr: str) -> Iterator[ShellFault]:
    if ending is not ExitKind.EXITED:
        yield ShellFault(Reason.CANNOT_FOLLOW, f"the shell does not end within {SECONDS:.0f} s")
    elif flooded or len(commands) > MOST_COMMANDS or any(command.kind == "limit" for command in commands):
        yield ShellFault(Reason.CANNOT_FOLLOW, f"more than {MOST_COMMANDS} commands, or no end")
    elif _NO_FORK.search(stderr):
        yield ShellFault(Reason.CANNOT_FOLLOW, "it starts more processes than there may be")
    for command in commands:
        if command.kind == "shell" and len(command.argv) > 1:
            inner = next((after for word, after in pairwise(command.argv) if re.fullmatch(r"-\w*c", word)), "")
            if inner and RECORDS.search(inner):
                yield ShellFault(Reason.CANNOT_FOLLOW, "a shell's own text could change what is recorded")
                return


_NO_FORK = re.compile(
    r"fork: |[Rr]esource temporarily unavailable|maximum function nesting|[Cc]annot allocate memory|xrealloc|xmalloc"
)
_COMPLAINT = re.compile(
    r"(?m)^.*?: line \d+: (?:(cd|pushd): )?(.+?):"
    r" (No such file or directory|Not a directory|Is a directory|File name too long)$"
)
_BASH_SYNTAX = re.compile(
    r"(?m)^.*?: (?:eval: )?line \d+: (syntax error.*|unexpected EOF.*|.*: bad substitution|.*: unbound variable)$"
)


def _complaints(stderr: str) -> Iterator[ShellFault]:
    """The error messages of bash, as faults."""
    for builtin, name, why in _COMPLAINT.findall(stderr):
        yield ShellFault(Reason.NO_SUCH_FOLDER if builtin else Reason.NO_SUCH_FILE, f"{name}: {why}")
    for complaint in _BASH_SYNTAX.findall(stderr):
        unbound = complaint.endswith("unbound variable")
        yield ShellFault(Reason.UNRESOLVED_VARIABLE if unbound else Reason.SHELL_SYNTAX, complaint)


_EXPORTED = re.compile(
    r"""(?:declare -\w*x\w*|export) (\w+)(?:=(?:"((?:[^"\\]|\\.)*)"|\$'((?:[^'\\]|\\.)*)'))?(?:\n|$)""", re.DOTALL
)
_ANSI = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_NOT_SAID = ("PWD", "OLDPWD", "SHLVL", "_")


def _commands(records: bytes, base: Mapping[str, str], scanned: Scan) -> tuple[list[TracedCommand], bool]:
    """The commands in the order of the text, and whether the records are complete."""
    fields = records.replace(b"\x1e", b"\n").decode("utf-8", errors="surrogateescape").split("\0")
    keyed: list[tuple[tuple[float, ...], tuple[str, ...], TracedCommand]] = []
    at, complete = 0, fields[-1] == ""
    while at + 9 < len(fields):
        kind, key, cwd, flags, code, text, variables, began, count = fields[at : at + 9]
        if not (count.isdigit() and re.fullmatch(r"[\d@/]+", key)) or fields[
            at + 9 + int(count) : at + 10 + int(count)
        ] != [""]:
            return [command for *_, command in sorted(keyed, key=lambda entry: entry[:2])], False
        argv = tuple(fields[at + 9 : at + 9 + int(count)])
        steps = [step.split("@") for step in key.split("/")]
        line = int(steps[0][1])
        marks = [mark for mark in scanned.marks if mark.first <= line <= mark.last]
        if len(marks) > 1 and len(steps) == 1:  # several on a line
            marks = [mark for mark in marks if all(word in mark.text for word in argv)] or marks
        keyed.append(
            (
                (*(float(step[0]) for step in steps), *([float("inf")] if kind == "end" else [])),
                argv,
                TracedCommand(
                    argv,
                    cwd,
                    _variables(variables, base),
                    kind,
                    int(code),
                    text,
                    len(steps) - 1,
                    line,
                    "captured " in flags,
                    any(mark.guarded for mark in marks),
                    any(mark.background for mark in marks),
                    source=marks[0].text if marks else "",
                    at=float(began) if re.fullmatch(r"\d+(\.\d+)?", began) else 0.0,
                ),
            )
        )
        at += 10 + int(count)
    return [command for *_, command in sorted(keyed, key=lambda entry: entry[:2])], complete


@lru_cache(maxsize=16)
def _exported(printed: str) -> dict[str, str]:
    """Parse the output of bash's `export -p`."""
    values = {}
    for name, quoted, ansi in _EXPORTED.findall(printed):
        if ansi:
            values[name] = re.sub(r"\\([0-7]{1,3}|.)", lambda m: _ansi(m[1]), ansi, flags=re.DOTALL)
        else:
            values[name] = re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL)
    return values


def _ansi(escape: str) -> str:
    return chr(int(escape, 8)) if escape[0].isdigit() else _ANSI.get(escape, escape)


def _variables(printed: str, base: Mapping[str, str]) -> dict[str, str]:
    """The variables that are new or changed."""
    values = {name: value.replace(_NOWHERE, base.get("PATH", "")) for name, value in _exported(printed).items()}
    return {name: value for name, value in values.items() if base.get(name) != value and name not in _NOT_SAID}


def _inside(path: str) -> str:
    """A folder of the jail, relative to the repository's root."""
    return path.removeprefix(WORKSPACE).lstrip("/") or "."
