"""Outputs of commands without what agents put around them."""

from __future__ import annotations

import json
import re

_WRAPPED = re.compile(r"<output>\n?(.*?)\n?</output>", re.DOTALL)
_TRAILERS = re.compile(
    r"\n?\[(?:The command completed with exit code|Current working directory|Python interpreter|Command finished)[^\n]*"
)

_CODEX = re.compile(r"\AChunk ID: .*?\nOutput:\n", re.DOTALL)
_REMARKS = "Exit Code|Error|Signal|Background PIDs|Process Group PGID"
_GEMINI = re.compile(
    rf"\A<untrusted_context>\nOutput: (.*?)(?:\n(?:{_REMARKS}): [^\n]*)*\n</untrusted_context>\Z", re.DOTALL
)
_QWEN = re.compile(rf"\ACommand: .*?\nDirectory: [^\n]*\nOutput: (.*?)(?:\n(?:{_REMARKS}): [^\n]*)*\Z", re.DOTALL)
_KIMI = re.compile(r"\AWall time: [\d.]+ seconds\n")
_NOTHING = ("(Bash completed with no output)", "(empty)", "(no output)", "Command executed successfully.")


def bare(text: str) -> str:
    """The output itself: out of a JSON object, out of tags, without remarks around it."""
    stripped = text.strip()
    if found := _KIMI.match(stripped):
        return bare(text.lstrip()[found.end() :])
    if stripped in _NOTHING:
        return ""
    if found := _CODEX.match(stripped):
        return stripped[found.end() :]
    if found := _GEMINI.match(stripped) or _QWEN.match(stripped):
        return bare(found[1])
    if stripped.startswith('{"output":'):
        try:
            return bare(str(json.loads(stripped)["output"]))
        except ValueError:
            return text
    if stripped.startswith("{") and '"returncode"' in stripped:
        try:
            found = json.loads(stripped)
            return str(found.get("output") or found.get("output_head", "") + found.get("output_tail", ""))
        except ValueError:
            return text
    if found := _WRAPPED.search(text):
        return found[1]
    return _TRAILERS.sub("", text)
