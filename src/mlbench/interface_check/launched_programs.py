"""Find the repository's programs that a shell text starts, with their arguments, folders and variables."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from os.path import isdir, isfile  # return False for names that are too long; pathlib raises
from pathlib import Path

from mlbench.interface_check.bash_trace import OUTPUT, follow
from mlbench.interface_check.cut_short import cut_short
from mlbench.interface_check.entry_points import EntryPoints, entry_points
from mlbench.interface_check.jail_files import JailFiles, first_line, nearest, written_since
from mlbench.interface_check.launches import Launch, Starts
from mlbench.reasons import Reason
from mlbench.sandbox.jail import WORKSPACE, Jail
from mlbench.shell.commands import TracedCommand
from mlbench.shell.downloads import DOWNLOADERS
from mlbench.shell.foreign_programs import FOREIGN
from mlbench.shell.launchers import LaunchTarget, Refusal, target
from mlbench.shell.literal_shell import literal
from mlbench.shell.shell_static import ShellFault, faults, is_plain, words

_HIDING = words("parallel awk watch ssh docker screen tmux script at singularity apptainer sbatch")
_RESTORING = words("cp dd install mv rsync tar touch unzip zip")
_CODE = re.compile(r"\bpython|\.py\b|\.sh\b|\bbash\b|\btorchrun\b")


def _enters(repository: Path, folder: str) -> bool:
    """Whether a folder of the jail belongs to the repository and is not reached through a link."""
    inside = os.path.relpath(folder, WORKSPACE)
    place = repository / inside
    try:
        return not inside.startswith("..") and place.is_dir() and place.resolve() == repository.resolve() / inside
    except OSError:  # its name is too long
        return False


async def starts(
    jail: Jail,
    repository: Path,
    code: str,
    cwd: str = WORKSPACE,
    env: Mapping[str, str] | None = None,
    prefix: str = "",
    own: bool = False,
    chance: int | None = None,
    began: float | None = None,
) -> Starts:
    """Find every program of the repository that `code` starts after `prefix`, in the order of bash.

    Args:
        jail: has the repository at /workspace and the runtime at /opt/probe. Frozen and shared, or `own`.
        repository: the same repository on the host, only read.
        cwd: absolute, in the jail.
        own: the jail belongs to this text and is writable.
        chance: a seed for random numbers and the clock. None: both are real.
        began: files that changed in the jail since then are the text's own; None for its start.

    Raises:
        SandboxUnavailableError: the jail failed, not the text.
    """
    text = f"{prefix}\n{code}" if prefix else code
    known = faults(code)
    if any(fault.reason in (Reason.TOO_LONG, Reason.NUL_BYTE) for fault in known):
        return Starts(faults=known)
    declared = entry_points(repository)
    base = {**jail.env, **(env or {})}
    cwd = os.path.normpath(cwd)
    enters = partial(_enters, repository)
    if began is None and enters(cwd) and (plain := literal(text, cwd, base, enters)):
        found, others = _LaunchFinder(JailFiles(repository), declared, base).all(list(plain), "")
        return Starts(tuple(found), tuple(others), known)
    if not own and not is_plain(text):
        return Starts(faults=known, alone=True)
    began = time.time() if began is None else began
    programs = [*declared.functions, *declared.scripts]
    followed = await follow(jail, code, cwd, env, prefix, own=own, chance=chance, programs=programs)
    if followed.writes and not own:
        return Starts(faults=known, alone=True)
    known = tuple(
        fault for fault in known if fault.reason != Reason.SHELL_SYNTAX
    )  # bash itself has said whether it reads it
    restores = any(one.argv[0].rpartition("/")[2] in _RESTORING for one in followed.commands)
    files = await written_since(jail, repository, began, restores=restores) if own else JailFiles(repository)
    if not files.complete:
        known = (ShellFault(Reason.CANNOT_FOLLOW, "it writes too many files to look at"), *known)
    finder = _LaunchFinder(files, declared, base)
    found, others = finder.all(followed.commands, followed.said)
    if not own and any(map(_ends_in_script, found)):
        again = await follow(
            jail, code, cwd, {**(env or {}), **_INPUTS_ARE_THERE}, prefix, chance=chance, programs=programs
        )
        more, rest = finder.all(again.commands, again.said)
        if not again.faults and more and not any(map(_ends_in_script, more)):
            followed, found, others = again, [replace(each, is_input_assumed=True) for each in more], rest
    found = [replace(each, cut_short=cut_short(each.command, text)) for each in found]
    return Starts(tuple(found), tuple(others), (*followed.faults, *known), False, tuple(files.written))


_INPUTS_ARE_THERE = {"MLBENCH_BEGUN": "yes"}
"""A script finds each file that it tests for, as if a program had written it."""


def _ends_in_script(start: Launch) -> bool:
    """Whether a script of the repository ended with an error before it started anything: it may lack the data."""
    return start.run == "none" and start.fault is not None and start.fault.reason == Reason.USAGE


def _lacks_program(fault: ShellFault | None) -> bool:
    return fault is not None and fault.reason == Reason.NO_SUCH_PROGRAM and fault.message.endswith("command not found")


@dataclass(frozen=True)
class _LaunchFinder:
    files: JailFiles
    declared: EntryPoints
    base: dict[str, str]

    def all(self, commands: Iterable[TracedCommand], said: str) -> tuple[list[Launch], list[TracedCommand]]:
        found: list[Launch] = []
        others: list[TracedCommand] = []
        # for each open shell: the lengths of `found` and `others` at its start, and whether the repository has its text
        opened: list[tuple[int, int, bool]] = []
        for command in commands:
            start: Launch | None = None
            if command.kind == "shell":
                opened.append((len(found), len(others), self._runs_own_script(command)))
                continue
            if command.kind == "end":
                starts_before, others_before, _ = opened.pop() if opened else (0, 0, False)
                if starts_before == len(found) and command.exit_code:
                    start = self._shell(command, said, others[others_before:])
                if start is None:
                    continue
            elif command.kind == "tool":
                if self._hides(command):
                    start = Launch("none", command.argv[0], command, fault=_not_followed(command))
            else:
                start = self.one(command)
                is_unknown = start is not None and start.run == "none" and _lacks_program(start.fault)
                if is_unknown and opened and opened[-1][2]:
                    start = None  # a script of the repository goes on without it, and it is not the answer's
            if start is None:
                others.append(command)
            else:
                found.append(start)
        return found, others

    def _runs_own_script(self, shell: TracedCommand) -> bool:
        """Whether a shell runs a script as the repository has it."""
        name = next((word for word in shell.argv if word.endswith(".sh")), "")
        inside = self.files.inside(name, shell.cwd) if name else None
        return inside is not None and not self.files.written and isfile(self.files.repository / inside)

    def _hides(self, command: TracedCommand) -> bool:
        return command.argv[0].rpartition("/")[2] in _HIDING and any(map(_CODE.search, command.argv[1:]))

    def one(self, command: TracedCommand) -> Launch | None:
        """The program that a command starts; None if it is not the repository's."""
        nothing = Launch("none", command.argv[0], command, argv=command.argv[1:], cwd=command.cwd, env=command.env)
        told = OUTPUT.search("\0".join(command.argv))
        if told and told.start() == 0:  # what a program prints is run
            fault = None if told[1] in FOREIGN and told[1] not in DOWNLOADERS else _unknown(told[1], "a shell reads")
            return replace(nothing, fault=fault) if fault else None
        if told and command.argv[0] == "test":
            return replace(nothing, fault=_unknown(told[1], "a test reads")) if told[1] not in FOREIGN else None
        if command.guarded and command.kind in ("missing", "denied"):
            return None  # the text knows that it may fail
        if command.kind == "missing":
            return replace(nothing, fault=self._no_file(command.argv[0], command.cwd))
        if command.kind == "denied":
            message = f"{command.argv[0]}: permission denied, the file is not executable"
            return replace(
                nothing,
                program=self.files.inside(command.argv[0], command.cwd) or "",
                fault=ShellFault(Reason.NO_SUCH_PROGRAM, message),
            )
        meant = target(command.argv, fed=command.text)
        if isinstance(meant, Refusal):
            return replace(nothing, fault=ShellFault(meant.reason, meant.message))
        folder = self.files.real(os.path.join(command.cwd, meant.cwd))
        start = Launch(
            "none",
            meant.name,
            command,
            "",
            meant.argv,
            folder,
            {**command.env, **meant.env},
            meant.options,
            meant.launchers,
            meant.injected,
            later=self.files.changed_after(command.at) if command.at else (),
        )
        located = self._located(start, meant)
        if located is None or (located.fault and located.fault.reason == Reason.NO_SUCH_PROGRAM and command.guarded):
            return None
        if located.fault is None and (doubt := self._doubt(located)):
            located = replace(located, fault=doubt)
        return located

    def _located(self, start: Launch, meant: LaunchTarget) -> Launch | None:
        if meant.run == "code":
            return replace(start, run="code")
        if meant.run == "file":
            return self._file(start, meant.name)
        if meant.run == "module":
            return self._module(start, meant.name)
        return self._program(start, meant.name)

    def _file(self, start: Launch, name: str) -> Launch | None:
        path = self.files.real(os.path.join(start.cwd, name))
        inside = self.files.inside(name, start.cwd)
        if path in self.files.written:
            changed = self.files.written[path] == "changed"
            fault = ShellFault(Reason.TOUCHES_CODE, f"the text changes {inside} before it runs it") if changed else None
            return replace(start, run="file", program=inside or "", own=not changed, fault=fault)
        if inside is None:
            return replace(
                start, fault=ShellFault(Reason.NOT_A_CALL_OF_THE_REPOSITORY, f"{name} is not in the repository")
            )
        there = self.files.repository / inside
        if isfile(there / "__main__.py"):
            return replace(start, run="file", program=(Path(inside) / "__main__.py").as_posix())
        if not isfile(there):
            return replace(start, fault=self._no_file(name, start.cwd))
        return replace(start, run="file", program=inside)

    def _module(self, start: Launch, name: str) -> Launch | None:
        path = start.env.get("PYTHONPATH", self.base.get("PYTHONPATH", ""))
        beside = [self.files.inside(folder, start.cwd) for folder in (".", *path.split(":")) if folder]
        folders = tuple(folder for folder in beside if folder is not None)
        file = self.declared.file_of(self.files.repository, name, folders)
        if file is not None:
            return replace(start, run="module", program=file)
        top, *rest = name.split(".")
        if any(path.endswith((f"/{top}.py", f"/{top}/__init__.py")) for path in self.files.written):
            return replace(start, run="module", own=True)
        if any(isdir(self.files.repository / folder / top) for folder in (*folders, *self.declared.roots)):
            return replace(start, fault=ShellFault(Reason.NO_SUCH_MODULE, f"No module named {name}"))
        elsewhere = (
            nearest(self.files.repository, f"{'/'.join(name.split('.'))}.py")
            if rest or not _is_known_module(top)
            else ""
        )
        if elsewhere:
            message = f"No module named {name} (from here; there is {elsewhere})"
            return replace(start, fault=ShellFault(Reason.NO_SUCH_MODULE, message))
        if name.endswith(".py"):
            return replace(
                start, fault=ShellFault(Reason.NO_SUCH_MODULE, f"No module named {name}; -m wants a module, not a file")
            )
        return None

    def _program(self, start: Launch, name: str) -> Launch | None:
        if "/" in name and not name.startswith(("/usr/", "/bin/", "/opt/env/")):
            interpreter = start.command.text
            if start.command.argv[0] != name:  # behind a launcher: only the file itself names its interpreter
                inside = self.files.inside(name, start.cwd)
                interpreter = first_line(self.files.repository / inside) if inside else ""
            if re.match(r"#!.*\bpython", interpreter):
                return self._file(start, name)
            fault = ShellFault(Reason.CANNOT_FOLLOW, f"{name} is not run by Python or a shell")
            return replace(start, program=self.files.inside(name, start.cwd) or "", fault=fault)
        name = name.rpartition("/")[2]
        if name in self.declared.functions:
            target = self.declared.functions[name]
            file = self.declared.file_of(self.files.repository, target.partition(":")[0])
            return replace(start, run="console-script", target=target, program=file or "")
        if name in self.declared.scripts:
            return replace(
                start,
                run="file",
                target=f"{WORKSPACE}/{self.declared.scripts[name]}",
                program=self.declared.scripts[name],
            )
        if self._hides(start.command) or name == "make":
            return replace(start, fault=_not_followed(start.command))
        if name in FOREIGN or os.path.exists(f"/usr/bin/{name}"):
            return None
        return replace(start, fault=ShellFault(Reason.NO_SUCH_PROGRAM, f"{name}: command not found"))

    def _shell(self, end: TracedCommand, said: str, inside_it: list[TracedCommand]) -> Launch | None:
        """A script of the repository that ended with an error before it started anything."""
        name = (
            end.argv[1]
            if len(end.argv) > 1 and end.argv[0].rpartition("/")[2] in ("bash", "sh", "dash")
            else end.argv[0]
        )
        name = next((word for word in end.argv if word.endswith(".sh")), name)
        inside = self.files.inside(name, end.cwd)
        start = Launch("none", name, end, inside or "", end.argv[end.argv.index(name) + 1 :], end.cwd, end.env)
        if inside is None or not isfile(self.files.repository / inside):
            if f"{end.cwd}/{name}" in self.files.written or end.exit_code != 127:
                return None
            return replace(start, program="", fault=self._no_file(name, end.cwd))
        doubtful = [one for one in inside_it if one.kind == "command" or one.exit_code]
        if doubtful:  # it may have failed because that did nothing here
            return replace(start, fault=ShellFault(Reason.CANNOT_FOLLOW, f"{name} depends on `{doubtful[0].argv[0]}`"))
        last = said.strip()[-500:] or f"ended with exit code {end.exit_code}"
        return replace(start, fault=ShellFault(Reason.USAGE, last))

    def _doubt(self, start: Launch) -> ShellFault | None:
        command = start.command
        if told := OUTPUT.search("\0".join((*command.argv, start.cwd, start.target))):
            return _unknown(told[1], f"`{command.argv[0]}` reads")
        if (changed := self.files.changed_code) and not start.own and start.run != "code":
            return ShellFault(Reason.TOUCHES_CODE, f"the text changes {changed}")
        if command.unresolved:
            return ShellFault(Reason.UNRESOLVED_VARIABLE, f"no value for {', '.join(command.unresolved)}")
        for word in command.argv:
            planted = (
                [path for path in self.files.written if path.endswith(f"/{word}")] if "PATH" in command.env else []
            )
            path = os.path.normpath(os.path.join(command.cwd, word))
            if path.rpartition("/")[2].startswith("python") and path in self.files.written and "/" in word:
                planted.append(path)
            if planted:
                return ShellFault(Reason.TOUCHES_CODE, f"`{word}` would be {planted[0]}")
            if word == start.target:
                break
        return None

    def _no_file(self, name: str, cwd: str) -> ShellFault:
        here = self.files.inside(".", cwd)
        there = nearest(self.files.repository, name.rpartition("/")[2])
        hint = f"; there is {there}" if there else ""
        return ShellFault(
            Reason.NO_SUCH_FILE, f"there is no {name} in {here if here not in (None, '.') else 'the root folder'}{hint}"
        )


def _unknown(printed: str, who: str) -> ShellFault:
    """The fault of a text that needs a program's output, which is not known here."""
    if printed in DOWNLOADERS:
        return ShellFault(Reason.REMOTE_CODE, f"{who} what `{printed}` downloads")
    return ShellFault(Reason.CANNOT_FOLLOW, f"{who} what `{printed}` prints")


def _not_followed(command: TracedCommand) -> ShellFault:
    return ShellFault(Reason.CANNOT_FOLLOW, f"what `{command.argv[0]}` runs is not followed")


def _is_known_module(name: str) -> bool:
    """Whether it is a module of Python, or a library with a well-known command line."""
    return name in (
        "pip",
        "pytest",
        "venv",
        "unittest",
        "ipykernel",
        "spacy",
        "nltk",
        "black",
        "flake8",
        "wandb",
        "json",
        "this",
    )
