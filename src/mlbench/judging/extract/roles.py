"""The role of a piece of code: start a program, prepare, look, or nothing complete."""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from mlbench.records import Kind
from mlbench.shell import assignments
from mlbench.shell.languages import parse_python


class BlockRole(Enum):
    """The role of a block, the best first: a later role counts only if no earlier one is there."""

    PROGRAM = "a program"
    INCOMPLETE = "not complete by itself"
    STATE = "preparation only"
    LOOK = "a look only"
    INSTALL = "installation only"
    NOTHING = "no code"


@dataclass(frozen=True)
class StartCommand:
    """One simple command of a script: its program and its words."""

    words: tuple[str, ...]

    @property
    def program(self) -> str:
        return self.words[0].rpartition("/")[2] if self.words else ""


@dataclass(frozen=True)
class ProgramStart:
    """The start of a file by its name; `bare` without arguments."""

    file: str
    bare: bool


_SPLIT = re.compile(r"&&|\|\||[;\n|]|(?<![>&])&(?![>&\d])")
_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)(\w{1,40})\1")
_WRAPPERS = (
    "sudo",
    "time",
    "nohup",
    "env",
    "exec",
    "command",
    "then",
    "do",
    "else",
    "!",
    "{",
    "(",
    "uv",
    "poetry",
    "pipenv",
)
_REDIRECTS = re.compile(r"(?<!\S)(?:\d|&)?(?:>>?|<)(?:&\d|[ \t]*\S+)")
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*", re.M)
_INSTALLERS = re.compile(r"pip|pip3|conda|mamba|micromamba|apt|apt-get|brew|yum|wget|curl|unzip|npm|aria2c|gdown")
_INSTALLING = re.compile(
    r"^(?:python[\d.]* -m (?:pip|venv|ensurepip|virtualenv)\b|virtualenv\b|git (?:clone|pull|checkout"
    r"|submodule|lfs)\b"
    r"|(?:uv|poetry|pipenv) (?:pip|sync|venv|add|install|lock|init)\b|pipx install\b|huggingface-cli\b)"
)
_STATES = re.compile(
    r"cd|export|source|\.|set|mkdir|chmod|ulimit|pushd|popd|module|alias|unset|touch|deactivate|wait|shopt"
    r"|declare"
)
_LOOKS = re.compile(
    r"ls|cat|head|tail|less|more|echo|pwd|tree|which|nvidia-smi|tensorboard|grep|find|wc|du|df|open|watch|nano"
    r"|vim|vi|code|file|printf|sort|man|exit|date|xdg-open|whoami"
)
_HELP = frozenset(("--help", "-h", "--version", "-help"))
_PLACEHOLDER = re.compile(
    r"(?:^|[\s=])<[A-Za-z][\w .|-]*>|(?:^|\s)\[(?:-{1,2}\w|OPTIONS|options|ARGS|args)|\s\.\.\.(?:\s|$)"
    r"|(?:^|\s)…(?:\s|$)"
)
_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__builtins__", "get_ipython", "display"}


def role_of(code: str, kind: Kind | None) -> BlockRole:
    """The role of code of a known language."""
    if kind is None or not code.strip():
        return BlockRole.NOTHING
    return _role_of_shell(code) if kind == "shell" else _role_of_python(code)


def commands_of(code: str) -> list[StartCommand]:
    """The simple commands of a script, by its text alone, without here-documents.

    A quoted text with a separator in it is cut there. That does not change which program the script starts.
    """
    text, kept = code.replace("\\\n", " "), []
    until = ""
    for line in text.split("\n"):
        if until:
            until = "" if line.strip() == until else until
            continue
        heredoc = _HEREDOC.search(line)
        until = heredoc[2] if heredoc else ""
        kept.append(_HEREDOC.sub(" ", line))
    found = []
    for part in _SPLIT.split(_REDIRECTS.sub(" ", _COMMENT.sub("", "\n".join(kept)))):
        words = part.split()
        while words and (
            assignments.WORD.match(words[0]) or (words[0] in _WRAPPERS and not _INSTALLING.match(" ".join(words)))
        ):
            is_runner = words[0] in ("uv", "poetry", "pipenv") and words[1:2] == ["run"]
            if assignments.WORD.match(words[0]) and len(words) == 1:
                words = ["export", words[0]]
                break
            words = words[2:] if is_runner else words[1:]
        if words:
            found.append(StartCommand(tuple(words)))
    return found


def start_of(command: StartCommand) -> ProgramStart | None:
    """The file that a command starts: `python -u run.py`, `bash run.sh`, `./run.sh`."""
    words = list(command.words)
    if re.fullmatch(r"python[\d.]*|py|pypy3?|ipython|bash|sh|zsh|source|\.|torchrun", command.program):
        words = words[1:]
        while words and words[0].startswith("-") and words[0] not in ("-c", "-m", "-"):
            words = words[1:]
        if words[:1] == ["-m"] and len(words) > 1:
            return ProgramStart(words[1].replace(".", "/") + ".py", len(words) == 2)
    if words and re.fullmatch(r"[\w./~-]*\w\.(?:py|sh|bash)", words[0]):
        return ProgramStart(words[0], len(words) == 1)
    return None


def identity(command: StartCommand) -> str:
    """The program and subcommand of a command, as far as the text shows.

    Equal for two ways to start it.
    """
    words = [word for word in command.words if not word.startswith("-")]
    start = start_of(command)
    if start is None:
        return " ".join(words[:2]) if len(words) > 1 and re.fullmatch(r"[a-z][a-z_-]*", words[1]) else command.program
    name = start.file.rpartition("/")[2].removesuffix(".py")
    behind = [w for w in command.words if re.search(rf"{re.escape(name)}(?:\.\w+)?$", w)]
    at = command.words.index(behind[0]) + 1 if behind else len(command.words)
    following = command.words[at] if at < len(command.words) else ""
    return f"{name} {following}" if re.fullmatch(r"[a-z][a-z_-]*", following) else name


def _role_of_shell(code: str) -> BlockRole:
    roles = {_role_of_command(command) for command in commands_of(code)}
    if BlockRole.PROGRAM in roles:
        return BlockRole.INCOMPLETE if _PLACEHOLDER.search(_COMMENT.sub("", code)) else BlockRole.PROGRAM
    for role in (BlockRole.INSTALL, BlockRole.STATE, BlockRole.LOOK):
        if role in roles:
            return role
    return BlockRole.NOTHING


def _role_of_command(command: StartCommand) -> BlockRole:
    if (_INSTALLERS.fullmatch(command.program) and command.words[1:2] != ("activate",)) or _INSTALLING.match(
        " ".join(command.words)
    ):
        return BlockRole.INSTALL
    if (_STATES.fullmatch(command.program) and start_of(command) is None) or command.program in ("conda", "mamba"):
        return BlockRole.STATE
    if _LOOKS.fullmatch(command.program) or _HELP & set(command.words[1:]):
        return BlockRole.LOOK
    return BlockRole.PROGRAM


def _role_of_python(code: str) -> BlockRole:
    tree = parse_python(code)[1]
    if tree is None or not tree.body:
        return BlockRole.NOTHING
    if needs(code):
        return BlockRole.INCOMPLETE
    if not any(_does(node) for node in tree.body):
        return BlockRole.STATE
    return BlockRole.PROGRAM


def _does(node: ast.stmt) -> bool:
    """Whether a statement of a module does more than define names."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    return any(isinstance(each, ast.Call | ast.Await) for each in ast.walk(node))


def binds(code: str) -> frozenset[str]:
    """The names that a module binds anywhere."""
    return _names(code)[0]


def needs(code: str) -> frozenset[str]:
    """The names that a module uses without binding them; none if it has a star import."""
    bound, used = _names(code)
    return frozenset() if "*" in bound else used - bound - _BUILTINS


@lru_cache(maxsize=256)
def _names(code: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a module binds, and those that it reads; none if it does not parse."""
    bound: set[str] = set()
    used: set[str] = set()
    for node in ast.walk(parse_python(code)[1] or ast.Pass()):
        match node:
            case ast.Name(name, ast.Load()):
                used.add(name)
            case (
                ast.Name(name) | ast.arg(name) | ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name)
            ):
                bound.add(name)
            case ast.alias(name, renamed):
                bound.add(renamed or name.partition(".")[0])
            case ast.ExceptHandler(_, str(name)) | ast.MatchAs(_, str(name)) | ast.MatchStar(str(name)):
                bound.add(name)
    return frozenset(bound), frozenset(used)
