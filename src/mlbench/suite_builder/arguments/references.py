"""Step 6: makes a reference's template by replacing only the values of arguments."""

from __future__ import annotations

import io
import re
import shlex
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import tree_sitter

from mlbench.records import PYTHON_TYPE, SHELL_TYPE, Invocation
from mlbench.shell.languages import parse_shell
from mlbench.suite_builder.arguments.spanned_command import command_of
from mlbench.suite_builder.arguments.value_spans import call_end
from mlbench.suite_builder.types import DraftArgument, DraftTask
from mlbench.suites.recipes import Recipe, Words

_OPENS = re.compile(r"\{(?=[{%#]|$(?![\s\S]))")
_WORD_BEFORE = re.compile(rb"[ \t]*(?:\\\n)?[ \t]*$")
_QUOTED = re.compile(r"""(["'])([^"'$`\\\n]*)\1""")


@dataclass(frozen=True)
class Edit:
    """Bytes of the code and the Jinja text that replaces them."""

    start: int
    end: int
    text: str


def template(task: DraftTask, arguments: Sequence[DraftArgument]) -> str:
    """The Jinja template of the reference.

    Quoting, order, line continuations and comments of the code are kept, but comments on a value that varies are left
    out. Braces are escaped. An argument that the code does not give is added after the command's last word, or as the
    last keyword of its call.

    Raises:
        ValueError: an argument cannot be added anywhere, or two replace the same bytes.
    """
    edits = [_held(task, argument, span) for argument in arguments for span in argument.spans]
    added = [argument for argument in arguments if not argument.spans]
    if added:
        edits += _shell_added(task, added) if task.kind == "shell" else _python_added(task, added)
    edits += _comments(task, arguments)
    data = task.code.encode()
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start < at:
            raise ValueError(f"two arguments stand in the same place: {edit.text}")
        parts += [escaped(data[at : edit.start].decode()), edit.text]
        at = edit.end
    return "".join([*parts, escaped(data[at:].decode())])


def _comments(task: DraftTask, arguments: Sequence[DraftArgument]) -> list[Edit]:
    """Edits that remove the comments with a value that varies: another value would make them false."""
    varied = [
        word for each in arguments if len(each.values) > 1 and each.spans for word in next(iter(each.values.values()))
    ]
    said = [re.compile(rf"(?<![\w.]){re.escape(word)}(?![\w]|\.\d)") for word in varied if len(word) > 0]
    tree = parse_shell(task.code).root_node if task.kind == "shell" else None
    found = _shell_comments(tree) if tree is not None else _python_comments(task.code)
    data, edits = task.code.encode(), []
    for start, end in found:
        if not any(each.search(data[start:end].decode()) for each in said):
            continue
        while start and data[start - 1 : start] in (b" ", b"\t"):
            start -= 1
        if (start == 0 or data[start - 1 : start] == b"\n") and data[end : end + 1] == b"\n":
            end += 1  # the line has nothing else
        edits.append(Edit(start, end, ""))
    return edits


def _shell_comments(node: tree_sitter.Node) -> list[tuple[int, int]]:
    if node.type == "comment":
        return [(node.start_byte, node.end_byte)]
    return [span for child in node.children for span in _shell_comments(child)]


def _python_comments(code: str) -> list[tuple[int, int]]:
    starts = [0]
    for line in code.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    try:
        tokens = [
            each for each in tokenize.generate_tokens(io.StringIO(code).readline) if each.type == tokenize.COMMENT
        ]
    except (tokenize.TokenError, SyntaxError):
        return []
    spans = [(starts[row - 1] + column, each.string) for each in tokens for row, column in [each.start]]
    return [(size := len(code[:at].encode()), size + len(text.encode())) for at, text in spans]


def rendered(
    task: DraftTask, arguments: Sequence[DraftArgument], combination: Mapping[str, Words], text: str = ""
) -> str:
    """The reference for these values, quoted as every row's is.

    Args:
        task: the task.
        arguments: its arguments.
        combination: the wanted values.
        text: the template, if it was made before.
    """
    kind = SHELL_TYPE if task.kind == "shell" else PYTHON_TYPE
    recipe = Recipe.model_construct(reference=text or template(task, arguments), type=kind)
    return recipe.render_reference(combination)


def escaped(code: str) -> str:
    """Code that Jinja prints unchanged: its braces are printed by expressions."""
    return _OPENS.sub('{{ "{" }}', code)


def _held(task: DraftTask, argument: DraftArgument, span: tuple[int, int]) -> Edit:
    data, (start, end) = task.code.encode(), span
    said = f"{{{{ {argument.name} }}}}"
    if () in argument.values.values():  # an absent switch takes the blank before it with it
        before = _WORD_BEFORE.search(data, 0, start)
        start = before.start() if before else start
        return Edit(start, end, _if(argument.name, escaped(data[start : span[0]].decode()) + said))
    quoted = _QUOTED.fullmatch(data[start:end].decode())
    if quoted and task.kind == "shell" and all(is_bare(words) for words in argument.values.values()):
        return Edit(start, end, quoted[1] + said + quoted[1])
    return Edit(start, end, said)


def is_bare(words: Words) -> bool:
    """Whether the shell reads this value as one word without quotes."""
    return len(words) == 1 and shlex.quote(words[0]) == words[0]


def _if(name: str, text: str) -> str:
    return f"{{% if {name} %}}{text}{{% endif %}}"


def program_of(task: DraftTask) -> Invocation | None:
    """The task's program among those that it starts: the last one of its name."""
    of_name = [each for each in task.check.invocations if each.program == task.program]
    found = of_name or list(task.check.invocations)
    return found[-1] if found else None


def _shell_added(task: DraftTask, added: Sequence[DraftArgument]) -> list[Edit]:
    invocation = program_of(task)
    command = command_of(task.code, invocation) if invocation else None
    if command is None or invocation is None:
        raise ValueError("the command of the program is not found in the code")
    data = task.code.encode()
    own = data[command.start : command.end]
    blank, _, last = own.rpartition(b"\n")
    indent = last[: len(last) - len(last.lstrip())].decode()
    gap = f" \\\n{indent}" if blank.rstrip().endswith(b"\\") else " "
    text = "".join(_option(argument, gap, _glue(invocation, own)) for argument in added)
    rest = _rest(invocation)
    if 0 < rest <= len(command.words):
        own = data[command.start : command.words[-rest].start_byte]
        end = command.start + len(own.rstrip().removesuffix(b"\\").rstrip())
    else:
        end = command.start + _before_rest(invocation, own)
    return [Edit(end, end, text)]


def _rest(invocation: Invocation) -> int:
    """The number of last words that a positional argument takes whatever they are: `MODEL.DEVICE cpu`."""
    takes = {each.place for each in invocation.schema if each.nargs == "..."}
    for place in takes & set(invocation.given):
        value = invocation.configuration.get(place)
        words = [str(each) for each in value] if isinstance(value, list | tuple) else []
        if words and not invocation.options.get(place) and list(invocation.argv[-len(words) :]) == words:
            return len(words)
    return 0


def _before_rest(invocation: Invocation, command: bytes) -> int:
    """Where options can be added: at the end, or before an option that takes all that follows: `--opts KEY VALUE`."""
    for place in invocation.given:
        value = invocation.configuration.get(place)
        words = [str(each) for each in value] if isinstance(value, list | tuple) else []
        before = invocation.argv[-len(words) - 1 : -len(words)] if words else ()
        if before and list(invocation.argv[-len(words) :]) == words and before[0] in invocation.options.get(place, ()):
            at = command.rfind(before[0].encode())
            return len(command[:at].rstrip().removesuffix(b"\\").rstrip()) if at > 0 else len(command)
    return len(command)


def _glue(invocation: Invocation, command: bytes) -> str:
    """The text between an option and its value, as in the rest of the command."""
    if invocation.parser == "absl.flags":
        return "="
    given = len(re.findall(rb"\s--?[A-Za-z][\w-]*=", command))
    return "=" if given > len(re.findall(rb"\s--?[A-Za-z][\w-]*\s+[^-\s]", command)) else " "


def _option(argument: DraftArgument, gap: str, glue: str) -> str:
    said = f"{{{{ {argument.name} }}}}"
    if () in argument.values.values():
        return _if(argument.name, gap + said)
    if argument.option.endswith("="):
        return f"{gap}{argument.option}{said}"
    several = any(len(words) != 1 for words in argument.values.values())
    return f"{gap}{argument.option}{' ' if several else glue}{said}"


def _python_added(task: DraftTask, added: Sequence[DraftArgument]) -> list[Edit]:
    edits: dict[int, list[str]] = {}
    for argument in added:
        function, _, parameter = argument.place.rpartition(".")
        where = call_end(task.code, function)
        if where is None:
            raise ValueError(f"no single call of {function} is found in the code")
        at, has_others, has_comma = where
        texts = edits.setdefault(at, [])
        comma = ", " if (has_others and not has_comma) or texts else " " if has_comma else ""
        texts.append(f"{comma}{parameter}={{{{ {argument.name} }}}}")
    return [Edit(at, at, "".join(texts)) for at, texts in edits.items()]
