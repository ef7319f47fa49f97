"""Split a reply into prose and blocks: fences, tags, calls and thoughts.

The outer one comes first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from mlbench.judging.extract.blocks import DATA_LABELS, LABELS, MOST_BLOCKS, Part, ReplyBlock, label_of
from mlbench.judging.extract.calls import blocks_of, json_at, json_calls, unescape, xml_calls
from mlbench.judging.extract.cleaning import THOUGHTS, without_tokens
from mlbench.judging.extract.fences import WRAPPERS, fence_at

NESTED = 2
"""Deepest nesting of answers in Markdown or tags; it bounds the time for a reply of nothing but fences."""
_JSON_TRIES = 20
_TRIES = 5000  # what opens nothing is tried as well
_CODE_TAGS = (
    "pre|code|bash|sh|shell|zsh|cmd|command|execute_bash|execute_ipython|execute_python|execute_code|execute|run|python"
    "|py|script|tool_code|terminal|console|bash_command|code_block|codeblock|antArtifact|boltAction|file"
)
_ANSWER_TAGS = "answer|final_answer|solution|final|begin_of_solution"
_CALL_TAGS = "tool_call|function_call|tool_use|invoke"
_HOLDERS = "execute_command|run_command|use_tool|function_calls|tool_calls|actions?"
_PYTHON_TAGS = ("python", "py", "execute_ipython", "execute_python", "tool_code")
_SHELL_TAGS = ("bash", "sh", "shell", "zsh", "cmd", "command", "execute_bash", "terminal", "console", "bash_command")
_BBCODE = "bash|sh|shell|cmd|code|python|py|pre|console|terminal|tt|answer"
_REACT_ENDS = re.compile(r"^\**(?:Observation|Thought|Action|Final Answer|PAUSE)\**:", re.M)
_OPENER = re.compile(
    rf"""
      (?P<ticks>`{{3,}}|(?<![^\s>])~{{3,}}(?=[^~\n]*$))
    | <(?P<tag>(?:\w{{1,8}}:)?(?:{_CODE_TAGS}|{_ANSWER_TAGS}|{_CALL_TAGS}|{_HOLDERS}))(?P<attributes>\s[^<>]{{0,400}})?>
    | <\|(?P<sky>begin_of_solution)\|>
    | <function=["']?(?P<function>[\w.-]+)["']?>
    | \[(?P<bb>{_BBCODE})(?:=["']?(?P<bb_label>[\w+-]+)["']?)?\]
    | ^[ \t]*\**Action[ ]Input\**:(?P<react>)[ \t]*
    | ^[ \t]*\**Action\**:[ \t]*(?P<react_tool>[\w.-]{{1,40}})\[(?P<react_call>[^\n]*)\][ \t]*$
    | ^[ \t]*\**(?P<aside>Thought|Observation)\**:
    | (?:^|(?<=\|>)|(?<=CALLS\]))[ \t]*(?P<json>[{{\[])(?=\s*["'{{])
    """,
    re.M | re.X | re.IGNORECASE,
)
_THOUGHT = [(re.compile(begin, re.IGNORECASE), end) for begin, end in THOUGHTS]
_INNER_TAGS = re.compile(r"</?(?:span|code|b|i|em|strong|a|div|p|kbd|samp)(?:\s[^<>]{0,300})?>", re.IGNORECASE)


@dataclass
class _Scan:
    """One pass over a text; `absent` caches what was searched in vain."""

    text: str
    depth: int
    parts: list[Part] = field(default_factory=list)
    absent: set[str] = field(default_factory=set)
    next_thought: dict[int, re.Match[str] | None] = field(default_factory=dict)
    json_tries: int = 0

    def run(self) -> list[Part]:
        is_react = re.search(r"^[ \t]*\**(?:Action(?: Input)?|Observation)\**:", self.text, re.M) is not None
        position = tries = blocks = 0
        opener = _OPENER.search(self.text)
        while position < len(self.text):
            tries += 1
            if tries > _TRIES or blocks > MOST_BLOCKS:
                return self.parts
            if opener and opener.start() < position:
                opener = _OPENER.search(self.text, position)
            while opener and opener["aside"] and not is_react:
                opener = _OPENER.search(self.text, opener.end())
            thought = self._thought(position)
            if thought and (opener is None or thought[0].start() <= opener.start()):
                position = self._dropped(*thought, position)
                continue
            if opener is None:
                break
            known = len(self.parts)
            end = self._opened(opener, position)
            if end is None:
                self._prose(position, opener.end())
            position = max(end or opener.end(), opener.start() + 1)
            blocks += sum(isinstance(part, ReplyBlock) for part in self.parts[known:])
        self._prose(position, len(self.text))
        return self.parts

    def _dropped(self, begin: re.Match[str], closer: str, position: int) -> int:
        """Drop a thought or a comment, to the end of the text if it has no end.

        Keep a mere tag of the prompt.
        """
        self._prose(position, begin.start())
        self.parts.append("\n")
        start, end = self._after(closer.format(*begin.groups()), begin.end())
        is_echo = "echo" in begin.groupdict()
        return begin.end() if is_echo and start == len(self.text) else end

    def _prose(self, start: int, end: int) -> None:
        if start < end:
            self.parts.append(without_tokens(self.text[start:end]))

    def _thought(self, position: int) -> tuple[re.Match[str], str] | None:
        """The next thought; each kind is searched again only after its last match."""
        first: tuple[re.Match[str], str] | None = None
        for number, (begin, end) in enumerate(_THOUGHT):
            known = self.next_thought.get(number)
            if number not in self.next_thought or (known and known.start() < position):
                known = self.next_thought[number] = begin.search(self.text, position)
            if known and (first is None or known.start() < first[0].start()):
                first = (known, end)
        return first

    def _after(self, closer: str, position: int) -> tuple[int, int]:
        """Begin and end of a closing tag; the end of the text, twice, if there is none."""
        if closer not in self.absent:
            if found := re.compile(closer, re.IGNORECASE).search(self.text, position):
                return found.span()
            self.absent.add(closer)
        return len(self.text), len(self.text)

    def _opened(self, opener: re.Match[str], position: int) -> int | None:
        """Take the block that opens here and return its end; None if none opens."""
        start = opener.start()
        if opener["ticks"]:
            return self._fence(opener.start("ticks"), opener["ticks"], position)
        if opener["tag"]:
            return self._tag(opener, position)
        if opener["sky"]:
            return self._inside(opener, position, r"<\|end_of_solution\|>", "<solution> tag")
        if opener["function"]:
            content, end = self._closed(r"</function>", opener.end())
            return self._take(
                position, start, end, json_calls(content, opener["function"]) or xml_calls(content, opener["function"])
            )
        if opener["bb"]:
            return self._bbcode(opener, position)
        if opener["react"] is not None:
            return self._react(opener, position)
        if opener["react_call"]:
            label = "python" if "python" in opener["react_tool"].lower() else "bash"
            return self._take(position, start, opener.end(), [ReplyBlock(opener["react_call"], label, "tool call")])
        if opener["aside"]:
            found = _REACT_ENDS.search(self.text, opener.end())
            self._prose(position, start)
            return found.start() if found else len(self.text)
        return self._json(opener.start("json"), position)

    def _take(self, position: int, start: int, end: int, blocks: list[ReplyBlock]) -> int | None:
        if not blocks:
            return None
        self._prose(position, start)
        self.parts += blocks
        return end

    def _closed(self, closer: str, position: int) -> tuple[str, int]:
        begin, end = self._after(closer, position)
        return self.text[position:begin], end

    def _fence(self, start: int, ticks: str, position: int) -> int | None:
        fence = fence_at(self.text, start, ticks)
        if fence is None:
            return None
        line = self.text.rfind("\n", 0, start) + 1
        prose_end = line if re.fullmatch(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?", self.text[line:start]) else start
        self._prose(position, max(position, prose_end))
        marker = self.text[line:start].strip(" \t>") if prose_end == line else ""
        if marker:
            self.parts.append(f"{marker} \n")
        if not fence.code.strip():
            return fence.end
        block = ReplyBlock(fence.code, fence.label, file=fence.file, cut=fence.cut)
        inner: list[Part] = []
        if fence.label in DATA_LABELS or fence.label in ("", "jupyter", "tool_call", "tool_calls"):
            inner = list(json_calls(fence.code))
        wraps = fence.label in (*WRAPPERS, "", "html", "xml")
        if not inner and wraps and self.depth < NESTED and re.search(r"`{3}|~{3}|<[a-zA-Z]", fence.code):
            inner = _Scan(fence.code, self.depth + 1).run()
        self.parts += inner if any(isinstance(part, ReplyBlock) for part in inner) else [block]
        return fence.end

    def _tag(self, opener: re.Match[str], position: int) -> int | None:
        name = opener["tag"].rpartition(":")[2].lower()
        closer = rf"</{re.escape(opener['tag'])}\s*>"
        if self.depth > NESTED:
            return None
        if re.fullmatch(_ANSWER_TAGS, name) or re.fullmatch(_HOLDERS, name):
            return self._inside(opener, position, closer, f"<{name}> tag", final=name in _ANSWER_TAGS.split("|"))
        begin, end = self._after(closer, opener.end())
        closed = begin < len(self.text)
        line = self.text.rfind("\n", 0, opener.start()) + 1
        alone = not self.text[line : opener.start()].strip(" \t>")
        if not closed and not alone:
            return None
        content = self.text[opener.end() : begin]
        if re.fullmatch(_CALL_TAGS, name):
            named = re.search(r"name=[\"']([\w.-]+)", opener["attributes"] or "")
            tool = named[1] if named else ""
            calls = json_calls(content, tool)
            if (
                not calls
                and self.depth <= NESTED
                and re.search(r"<(?:\w{1,8}:)?(?:function=|invoke|tool_use)|`{3}", content)
            ):
                calls = [part for part in _Scan(content, self.depth + 1).run() if isinstance(part, ReplyBlock)]
            calls = calls or xml_calls(content, tool or content.lstrip()[:40].partition("\n")[0].strip())
            return self._take(position, opener.start(), end, calls)
        if name == "code" and "\n" not in content.strip() and not (alone and self._ends_line(end)):
            self._prose(position, opener.start())
            self.parts.append(f"`{unescape(_INNER_TAGS.sub('', content))}`")
            return end
        if re.search(r"`{3}|~{3}", content) and name not in ("pre", "code"):
            return self._inside(opener, position, closer, f"<{name}> tag")
        label = self._label(name, opener["attributes"] or "", content)
        named_file = re.search(r"(?:path|name|filename)=[\"']?([\w./-]+)", opener["attributes"] or "")
        if name == "file" and named_file is None:
            return None
        file = named_file[1] if named_file and name == "file" else ""
        if name in ("pre", "code"):
            content = _INNER_TAGS.sub("", re.sub(r"<br\s*/?>", "\n", content))
        calls = json_calls(content)
        label = label or (label_of(file)[0] if file else "")
        block = ReplyBlock(unescape(content), label, f"<{name}> tag", cut=not closed, file=file)
        return self._take(position, opener.start(), end, calls or ([block] if content.strip() else []))

    def _ends_line(self, position: int) -> bool:
        line_end = self.text.find("\n", position)
        return not self.text[position : line_end if line_end >= 0 else len(self.text)].strip(" \t.")

    def _label(self, name: str, attributes: str, content: str) -> str:
        if name in _PYTHON_TAGS:
            return "python"
        if name in _SHELL_TAGS:
            return "bash"
        inner = re.match(r"\s*<code\s([^<>]{0,300})>", content)
        found = re.search(
            r"(?:class|lang|language|data-lang)=[\"']?([\w ./-]+)", f"{attributes} {inner[1] if inner else ''}"
        )
        return label_of(found[1].split()[-1])[0] if found and found[1].split() else ""

    def _inside(self, opener: re.Match[str], position: int, closer: str, origin: str, final: bool = True) -> int | None:
        """The blocks in a tag that holds an answer or calls; without inner blocks its text is one."""
        content, end = self._closed(closer, opener.end())
        if self.depth > NESTED or not content.strip():
            return None
        inner = _Scan(content, self.depth + 1).run()
        self._prose(position, opener.start())
        if not any(isinstance(part, ReplyBlock) for part in inner):
            if not final:
                self.parts += inner
                return end
            spans = re.findall(r"`([^`\n]+)`", content)
            code = spans[0] if len(spans) == 1 else unescape(content.strip("\n"))
            inner = [ReplyBlock(code, "", origin)]
        self.parts += [
            replace(part, final=final or part.final) if isinstance(part, ReplyBlock) else part for part in inner
        ]
        return end

    def _bbcode(self, opener: re.Match[str], position: int) -> int | None:
        begin, end = self._after(rf"\[/{opener['bb']}\]", opener.end())
        if begin == len(self.text):
            return None
        label = (opener["bb_label"] or opener["bb"]).lower()
        content = self.text[opener.end() : begin]
        block = ReplyBlock(content, label if label in LABELS else "", f"[{opener['bb'].lower()}] tag")
        return self._take(position, opener.start(), end, [block] if content.strip() else [])

    def _react(self, opener: re.Match[str], position: int) -> int | None:
        found = _REACT_ENDS.search(self.text, opener.end())
        end = found.start() if found else len(self.text)
        content = self.text[opener.end() : end]
        tool = re.search(
            r"Action\**:[ \t]*([\w.-]+)[ \t\n]*\Z", self.text[max(0, opener.start() - 200) : opener.start()]
        )
        blocks = json_calls(content, tool[1] if tool else "")
        if not blocks and "```" in content and self.depth <= NESTED:
            blocks = [part for part in _Scan(content, self.depth + 1).run() if isinstance(part, ReplyBlock)]
        label = "python" if tool and "python" in tool[1].lower() else ""
        code = re.sub(r"\A`([^`]*)`\Z", r"\1", content.strip())
        return self._take(
            position, opener.start(), end, blocks or ([ReplyBlock(code, label, "tool call")] if code else [])
        )

    def _json(self, start: int, position: int) -> int | None:
        self.json_tries += 1
        if self.json_tries > _JSON_TRIES:
            return None
        if found := json_at(self.text, start):
            return self._take(position, start, found[1], list(blocks_of(found[0])))
        blocks = json_calls(self.text[start:])
        return self._take(position, start, len(self.text), blocks)


def scan(text: str) -> list[Part]:
    """The parts of a reply in order, without thoughts, comments and echoes.

    Each block with its prose.
    """
    parts = _Scan(text, 0).run()
    joined: list[Part] = []
    prose: list[str] = []
    for part in parts:
        if isinstance(part, str):
            prose.append(part)
            continue
        joined += ["".join(prose), part]
        prose = []
    joined.append("".join(prose))
    return [_with_prose(joined, at) if isinstance(part, ReplyBlock) else part for at, part in enumerate(joined)]


def _with_prose(parts: list[Part], at: int) -> ReplyBlock:
    block, before, after = parts[at], parts[at - 1], parts[at + 1]
    assert isinstance(block, ReplyBlock) and isinstance(before, str) and isinstance(after, str)
    return replace(block, before=before[-2000:], after=after[:1000])
