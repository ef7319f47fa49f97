"""Analyse a shell text without running it: its faults, and whether it can do harm."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import tree_sitter

from mlbench.reasons import Reason
from mlbench.shell.languages import LONGEST, parse_shell, shell_fault_of

SHELLS = ("bash", "sh", "dash")


def words(text: str) -> frozenset[str]:
    """A set of the words of a text."""
    return frozenset(text.split())


@dataclass(frozen=True)
class ShellFault:
    """A fault of a text: the reason, and the evidence as a message."""

    reason: Reason
    message: str


_PLACEHOLDERS = re.compile(
    r"<[A-Za-z][\w./|-]*(?: [\w./|-]+)*>(?!\w)|(?<![\w.])/?path/to\b|\bPATH_TO_\w+|\[[A-Z][A-Z_]+\]"
    r"|\byour?[_-][A-Za-z]\w*|\bYOUR_\w+|(?<![^\s=/\"'])\{[A-Za-z_]+\}|\{\{.*?\}\}|(?<![\w./])\.\.\.(?![\w/])|…"
)
_F_STRING = re.compile(r"\b[rR]?[fF][rR]?(?:\"[^\"\n]*\"|'[^'\n]*')")
"""Python's, in a here-document: its `{name}` is read, not to be filled in."""
_PASTED_DASH = re.compile(r"(?<!\S)[\u2010-\u2015\u2212][\w\u2010-\u2015\u2212-]")
_PASTED = re.compile(r"[\u00a0\u2000-\u200d\u2018\u2019\u201a-\u201e\u201c\u201d\u202f\u2060\u3000\ufeff]")


@lru_cache(maxsize=64)
def faults(code: str) -> tuple[ShellFault, ...]:
    """Find the faults of a text without running it, the gravest first.

    Reasons: `too-long`, `nul-byte`, `pasted-characters`, `placeholder`, `shell-syntax`. A placeholder may be what the
    task asks for, so it is evidence, not a verdict.
    """
    if len(code) > LONGEST:
        return (ShellFault(Reason.TOO_LONG, f"longer than {LONGEST} characters"),)
    if "\0" in code:
        return (ShellFault(Reason.NUL_BYTE, "holds a NUL byte"),)
    found = []
    bare = "".join(_outside_of_strings(code))
    if match := _PASTED_DASH.search(bare) or _PASTED.search(bare):
        found.append(
            ShellFault(Reason.PASTED_CHARACTERS, f"{match[0]!r} is not what a shell reads ({_around(bare, match)})")
        )
    if syntax := shell_fault_of(code):
        found.append(ShellFault(Reason.SHELL_SYNTAX, syntax))
    code_only = _F_STRING.sub("", re.sub(r"(?m)(?:^|(?<=\s))#.*$", "", code))
    if match := _PLACEHOLDERS.search(code_only):
        found.insert(0, ShellFault(Reason.PLACEHOLDER, f"{match[0]!r} stands for something to fill in"))
    return tuple(found)


def _around(text: str, match: re.Match[str]) -> str:
    return text[max(0, match.start() - 15) : match.end() + 15].strip()


def _outside_of_strings(code: str) -> Iterator[str]:
    """Yield the text without comments, quoted strings and here-documents."""
    data, at = f"{code}\n\n".encode("utf-8", errors="replace"), 0
    for node in walk(parse_shell(code).root_node, into=lambda node: node.type not in _DATA):
        if node.type in _DATA:
            yield data[at : node.start_byte].decode(errors="replace")
            at = node.end_byte
    yield data[at:].decode(errors="replace")


_DATA = ("comment", "string", "raw_string", "ansi_c_string", "heredoc_body")


def walk(node: tree_sitter.Node, into: Callable[[tree_sitter.Node], bool] | None = None) -> Iterator[tree_sitter.Node]:
    todo = [node]
    while todo:
        node = todo.pop()
        yield node
        if into is None or into(node):
            todo += reversed(node.children)


_HARMLESS = words(
    "program comment command command_name word string string_content raw_string ansi_c_string number"
    " concatenation variable_name"
    " variable_assignment variable_assignments simple_expansion expansion special_variable_name list pipeline"
    " declaration_command"
    " redirected_statement file_redirect file_descriptor test_command binary_expression unary_expression test_operator"
    " parenthesized_expression regex extglob_pattern if_statement elif_clause else_clause for_statement do_group"
    " negated_command subshell command_substitution compound_statement subscript heredoc_redirect heredoc_start"
    " heredoc_body heredoc_end"
    " heredoc_content herestring_redirect array brace_expression arithmetic_expansion case_statement case_item"
)
_UNSAFE = words(
    "eval kill trap enable shopt builtin command bg fg jobs disown hash alias unalias bind caller let read"
    " mapfile readarray type umask getopts times suspend history fc help coproc compgen complete complopt"
    " logout dirs local"
    " declare typeset readonly unset break continue return make awk gawk mawk find sed tar sort zip unzip"
    " xargs parallel"
)
STEERING = re.compile(
    r"BASH|LD_|PATH$|IFS$|PS\d$|SHELLOPTS$|ENV$|PROMPT|GLOBIGNORE$|POSIX|FUNCNEST$|TMPDIR$|EXECIGNORE$"
)
_PLACES = re.compile(r"/proc|/dev/(?!null\b)|\.\./dev|\bdev/(?:fd|tcp|udp)|\$\{!|@P\}")
RECORDS = re.compile(
    r"mlbench|command_not_found|/proc\b|/dev/fd|[<>]&\s*(?:\d{2}|[$\"'{])|(?<![\w.=/-])\d{2,}[<>]|(?<![^\s;&|()`])\{\w+\}[<>]"
    r"|BASH_ENV|BASH_COMMAND|\bset\s+[-+]\w*T|functrace|\btrap\b[^;\n]*DEBUG|(?<![\w./-])enable(?![\w-])|\bcoproc\b"
    r"|BASHOPTS|SHELLOPTS"
)


def is_plain(code: str) -> bool:
    """Whether a text is harmless, so that it may be traced in a jail that others share.

    It has only constructs and commands that are known to be harmless, no endless loop, and writes no file.
    """
    return not _has_grave_fault(code) and scan(code).plain


def _has_grave_fault(code: str) -> bool:
    return any(fault.reason in (Reason.TOO_LONG, Reason.NUL_BYTE, Reason.SHELL_SYNTAX) for fault in faults(code))


CHANCES = (1, 2, 343)
"""Seeds for random numbers and the clock. Their first `$RANDOM` and their weekday and hour differ."""
_CHANCE = re.compile(r"\b(?:S?RANDOM|EPOCH(?:SECONDS|REALTIME)|date|shuf|uuidgen)\b|random\b|\bsort\s+-\w*R")


def hangs_on_chance(code: str) -> bool:
    """Whether a text may use random numbers or the clock. A false alarm only costs time."""
    return _CHANCE.search(code) is not None


_FILE_TEST = re.compile(rb"\[\[(\s+(?:!\s+)?-[efsrd]\s+(?:\"[^\"\n`]*\"|[\w./${}-]+)\s+)\]\]")


def with_plain_tests(code: str) -> str:
    """Replace `[[ -f FILE ]]` by ` [ -f FILE ] `, which can be traced. Other characters keep their positions."""
    if "[[" not in code:
        return code
    data = code.encode("utf-8", errors="replace")
    for node in walk(parse_shell(code).root_node):
        if node.type == "test_command" and (match := _FILE_TEST.fullmatch(data, node.start_byte, node.end_byte)):
            data = data[: node.start_byte] + b"[ " + match[1] + b" ]" + data[node.end_byte :]
    return data.decode()


@dataclass(frozen=True)
class Mark:
    """A command of a text: its first and last line, and how its exit code is used."""

    first: int
    last: int
    text: str
    guarded: bool
    background: bool


@dataclass(frozen=True)
class Scan:
    plain: bool
    unset: tuple[str, ...]  # variables that are used and never set; digits mean positional parameters
    marks: tuple[Mark, ...]


@lru_cache(maxsize=64)
def scan(code: str) -> Scan:
    root = parse_shell(code).root_node
    plain = _PLACES.search(code) is None and not root.has_error
    used: dict[str, None] = {}
    assigned: set[str] = set()
    marks: list[Mark] = []
    for node in walk(root):
        if node.is_named and node.type not in _HARMLESS:
            plain = False
        text = (node.text or b"").decode(errors="replace")
        if node.type == "command":
            plain = plain and _harmless(node)
            first, last = node.start_point.row + 1, node.end_point.row + 1
            marks.append(Mark(first, last, text, _is_guarded(node), _is_background(node)))
        elif node.type in ("file_redirect", "heredoc_redirect"):
            plain = plain and (_to_nothing(node) or _feeds_python(node) or _is_placeholder(node))
        elif node.type == "variable_name" and node.parent is not None:
            if node.parent.type in _ASSIGNING:
                if node.parent.parent is None or node.parent.parent.type != "command":  # else one command's
                    assigned.add(text)
                plain = plain and not STEERING.match(text)
            elif _reads(node) and not _in_function(node, text):
                used[text] = None
        elif node.type == "special_variable_name" and text in "@*" and not _in_function(node, "1"):
            used["1"] = None
        elif node.type == "word" and re.fullmatch(r"[A-Za-z_]\w*", text):
            if node.parent is not None and _name_of(node.parent) in (
                "read",
                "mapfile",
                "readarray",
                "getopts",
                "printf",
                "let",
            ):
                assigned.add(text)
        elif node.type == "command_substitution" and "``" in text:
            plain = False
    if "set" in {_name_of(node) for node in walk(root) if node.type == "command"} and re.search(r"\bset\s+--", code):
        assigned.update("123456789")
    unset = tuple(name for name in used if name not in assigned and name not in _KNOWN)
    return Scan(plain, unset, tuple(marks))


_ASSIGNING = ("variable_assignment", "for_statement", "declaration_command", "unset_command", "subscript")
_KNOWN = words(
    "HOME PATH PWD OLDPWD USER LOGNAME UID EUID RANDOM SECONDS LINENO HOSTNAME OSTYPE HOSTTYPE MACHTYPE IFS"
    " SHELL SHLVL PPID LANG"
    " BASHPID EPOCHSECONDS EPOCHREALTIME OPTIND OPTARG REPLY FUNCNAME PIPESTATUS COLUMNS LINES TERM TMPDIR 0 _"
    " BASH_SOURCE BASH_LINENO BASH_VERSION BASH_VERSINFO BASH_SUBSHELL SRANDOM"
    " PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE OMP_NUM_THREADS OPENBLAS_NUM_THREADS"
    " PYTHONPATH LD_LIBRARY_PATH LIBRARY_PATH CPATH"
)  # the last line: often extended, whether set or not


def _name_of(command: tree_sitter.Node) -> str:
    name = command.child_by_field_name("name")
    return (name.text or b"").decode(errors="replace") if name is not None else ""


def _harmless(command: tree_sitter.Node) -> bool:
    parts = [
        child
        for child in command.children
        if child.type not in ("variable_assignment", "file_redirect", "herestring_redirect")
    ]
    if not parts:
        return True
    name = _name_of(command)
    if not re.fullmatch(r"[\w./+:\[-]+", name) or name in _UNSAFE or name.startswith(("/proc", "/dev")):
        return False
    texts = [(word.text or b"").decode(errors="replace") for word in parts]
    if name in (".", "source") and not (len(texts) > 1 and re.fullmatch(r"[A-Za-z_.][\w./-]*", texts[1])):
        return False
    certain = next((at for at, text in enumerate(texts) if is_python(text)), None)
    for at, text in enumerate(texts[: certain if certain is not None else len(texts)]):
        if text.strip("'\"").rpartition("/")[2] in SHELLS and (
            at + 1 >= len(texts) or not re.match(r"[\w./]", texts[at + 1])
        ):
            return False  # a shell that reads commands from its arguments or its input
    return name.rpartition("/")[2] not in _WRAPPERS or all(
        word.type in ("command_name", "word", "number") and "$" not in text
        for word, text in zip(parts[:certain], texts, strict=False)
    )


_WRAPPERS = words(
    ". source exec nohup time timeout nice ionice stdbuf env sudo setsid unbuffer conda mamba poetry uv pipenv"
    " srun xvfb-run"
)


def is_python(word: str) -> bool:
    return re.fullmatch(r"(?:/[\w./-]*/)?python[\d.]*", word) is not None


def _to_nothing(redirect: tree_sitter.Node) -> bool:
    text = (redirect.text or b"").decode(errors="replace")
    return (
        re.fullmatch(r"[012]?(?:&?>>?\s*/dev/null|>&\s*[12]|<\s*/dev/null|&>\s*/dev/null)|&>>?\s*/dev/null", text)
        is not None
    )


def _is_placeholder(redirect: tree_sitter.Node) -> bool:
    """Whether a redirection is a placeholder, as in `--lr <value> --epochs 3`. Bash fails to open the file `value`."""
    sides = [side for side in (redirect, redirect.prev_sibling, redirect.next_sibling) if side is not None]
    texts = [(side.text or b"").decode(errors="replace") for side in sides if side.type == "file_redirect"]
    return any(re.match(r"<\s*\w[\w .-]*$", text) for text in texts) and all(
        re.match(r"[<>](?!\s*[/~$`])", text) for text in texts
    )


def _feeds_python(heredoc: tree_sitter.Node) -> bool:
    command = heredoc.prev_sibling
    return (
        heredoc.type == "heredoc_redirect"
        and command is not None
        and command.type == "command"
        and is_python(_name_of(command))
    )


def _reads(name: tree_sitter.Node) -> bool:
    """Whether this is `$NAME` or `${NAME}`, without a default or a test for being set."""
    parent = name.parent
    if parent is None or parent.type not in ("simple_expansion", "expansion"):
        return False
    return parent.type == "simple_expansion" or all(
        child.type not in (":-", "-", ":+", "+", ":=", "=", ":?", "?", "!", "#") for child in parent.children
    )


def _in_function(node: tree_sitter.Node, name: str) -> bool:
    """Whether a positional parameter is inside a function, and so the function's own."""
    above = node.parent
    while above is not None and name.isdigit():
        if above.type == "function_definition":
            return True
        above = above.parent
    return False


def _is_background(command: tree_sitter.Node) -> bool:
    node: tree_sitter.Node | None = command
    while node is not None:
        if node.next_sibling is not None and node.next_sibling.type == "&":
            return True
        node = node.parent
    return False


def _is_guarded(command: tree_sitter.Node) -> bool:
    node: tree_sitter.Node = command
    while (parent := node.parent) is not None:
        if parent.type == "negated_command":
            return True
        if parent.type == "list" and any(child.type == "||" for child in parent.children):
            return True
        if parent.type in ("if_statement", "elif_clause"):
            then = next((child for child in parent.children if child.type == "then"), None)
            if then is None or node.start_byte < then.start_byte:
                return True
        if parent.type == "while_statement" and node.type != "do_group":
            return True
        node = parent
    return False
