"""Drop what is no answer before blocks are searched: chat tokens, thoughts, further turns."""

from __future__ import annotations

import re

_INVISIBLE = re.compile("[\u200b\u2060\ufeff]|^[\u200c-\u200f\u00ad]+", re.M)
_UNQUOTED = r"(?<!['\"=\w])(?<!(?<!`)`)"
_THOUGHT_NAMES = (
    r"(?:seed:|ant)?think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis|inner_monologue|rationale"
)
THOUGHTS: tuple[tuple[str, str], ...] = (
    (rf"{_UNQUOTED}<(?P<thought>{_THOUGHT_NAMES})>", r"</(?:{})>"),
    (r"◁think▷", r"◁/think▷"),
    (r"\[THINK\]", r"\[/THINK\]"),
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    (r"<\|channel\|>(?:analysis|commentary)(?!\s*to=)[^<\n]{0,40}<\|message\|>", r"<\|end\|>|(?=<\|start\|>)"),
    (rf"{_UNQUOTED}<!--", r"-->"),
    (
        rf"{_UNQUOTED}<(?P<echo>instructions?|document|prefix|observation|function_results?|tool_response)"
        r"(?:\s[^<>\n]{0,200})?>",
        r"</(?:{})>",
    ),
)
"""Begin and end of thoughts, comments and echoes of the prompt; without an end they last to the end of the text."""
_THOUGHT_ENDS = re.compile(
    rf"(?<!['\"`/\\])</(?:{_THOUGHT_NAMES})>|◁/think▷|\[/THINK\]|<\|end_of_thought\|>", re.IGNORECASE
)
_THOUGHT_BEGINS = re.compile(
    rf"{_UNQUOTED}<(?:{_THOUGHT_NAMES})>|◁think▷|\[THINK\]|<\|begin_of_thought\|>", re.IGNORECASE
)
_TURN_ENDS = re.compile(
    r"(?<!['\"=])(?<!(?<!`)`)(?:<\|(?:im_end|eot_id|eom_id|endoftext|end_of_text|return|eot|end_of_turn)\|>"
    r"|</s>|<end_of_turn>|<｜end▁of▁sentence｜>)"
    r"|^\#{2,} ?(?:Instruction|Input|Question|User)s?:?[ \t]*$|^(?:Human|User|USER):(?=\s)",
    re.M,
)
_CHAT_TOKEN = re.compile(
    r"(?<!['\"=])(?:<\|(?:start|im_start)\|>(?:assistant)?|<\|start_header_id\|>assistant<\|end_header_id\|>"
    r"|<\|[\w ]{1,40}\|>|<｜[^｜<>\n]{1,40}｜>|\[TOOL_CALLS\]|\[/?INST\])"
)


def clean(reply: str) -> str:
    """The reply's first turn, without chat tokens, invisible characters and thoughts."""
    text = reply.encode("utf-8", errors="replace").decode().replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace("\0", "\ufffd")  # as Markdown has it
    text = _INVISIBLE.sub("", text)
    end = _THOUGHT_ENDS.search(text)
    if end and not _THOUGHT_BEGINS.search(text, 0, end.start()):
        ends = [end.end()]
        opened = _THOUGHT_BEGINS.search(text, end.end())
        limit = opened.start() if opened else len(text)
        ends += [each.end() for each in _THOUGHT_ENDS.finditer(text, end.end(), limit)]
        text = text[ends[-1] :]
    for token in _TURN_ENDS.finditer(text):
        if text[: token.start()].strip():
            return text[: token.start()]
    return text


def without_tokens(prose: str) -> str:
    """A text without the chat template's tokens."""
    return _CHAT_TOKEN.sub("\n", prose) if "<" in prose or "[" in prose else prose
