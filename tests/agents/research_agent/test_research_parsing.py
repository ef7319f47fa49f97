"""Replies of the research agent: what is read, what is refused, and in which words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mlbench.evals.mlagentbench.research_agent.parsing import LONGEST, UnreadableError, parse

WHOLE = """Reflection: the starter works
Research Plan and Status: 1. look
2. improve: next
Fact Check: 0.41 was observed
Thought: I write it
Action: Write File
Action Input: {"file_name": "a.py", "content": "Action: none\\nprint({1: 2})"}"""


def test_a_whole_reply() -> None:
    said = parse(WHOLE)
    assert said.action == "Write File"
    assert said.inputs == {"file_name": "a.py", "content": "Action: none\nprint({1: 2})"}
    assert list(said.thoughts) == ["Reflection", "Research Plan and Status", "Fact Check", "Thought"]
    assert said.thoughts["Research Plan and Status"] == "1. look\n2. improve: next"


def test_sections_may_be_missing() -> None:
    said = parse('Action: List Files\nAction Input: {"dir_path": "."}')
    assert (said.action, dict(said.inputs), said.thoughts) == ("List Files", {"dir_path": "."}, {})


@pytest.mark.parametrize(
    "text",
    [
        'Action: Read File\nAction Input: {"file_name": "a"}',
        'action: "Read File"\naction input: {"file_name": "a"} and now I wait.',
        '**Action:** `Read File`\n**Action Input:**\n```json\n{"file_name": "a"}\n```\nThat is all.',
        "## Action: [Read File]\n## Action Input: {'file_name': 'a'}",
        '- Action: Read File\n- Action Input: {"file_name": "a"}\nObservation: made up\nAction: Write File',
        '5. Action: Read File\n6. Action Input: {"file_name": """a"""}',
        'Action: Read File\r\nAction Input: {"file_name": "a",}',
    ],
)
def test_ways_to_write_the_same(text: str) -> None:
    said = parse(text)
    assert (said.action, dict(said.inputs)) == ("Read File", {"file_name": "a"})


@pytest.mark.parametrize(
    "written, wanted",
    [
        ('{"content": "a\nb\tc"}', {"content": "a\nb\tc"}),
        ("{'content': 'it\\'s {', 'on': True, 'none': None}", {"content": "it's {", "on": True, "none": None}),
        ('{"n": 3, "list": ["}"], "in": {"x": 1.5}}', {"n": 3, "list": ["}"], "in": {"x": 1.5}}),
        ("{'''content''': '''two\nlines'''}", {"content": "two\nlines"}),
        ("{}", {}),
    ],
)
def test_json_with_line_ends_and_python_s_quotes(written: str, wanted: dict[str, Any]) -> None:
    assert parse(f"Action: X\nAction Input: {written}").inputs == wanted


def test_code_that_looks_like_a_heading_stays_in_its_string() -> None:
    content = "Action: Final Answer\nAction Input: {'a': 1}\nObservation: no"
    said = parse(f'Action: Write File\nAction Input: {{"content": "{content}"}}')
    assert said.inputs == {"content": content}


def test_last_words_need_no_object() -> None:
    assert parse("Action: Final Answer\nAction Input: I reached 0.91.").inputs == {"final_answer": "I reached 0.91."}


@pytest.mark.parametrize(
    "text, words",
    [
        ("", 'no line that begins with "Action:"'),
        ("I'm sorry, but I can't help with that.", 'no line that begins with "Action:"'),
        ("Action:\nAction Input: {}", "names no action"),
        ("Action: List Files", 'no "Action Input:" behind "Action: List Files"'),
        ("Action: List Files\nAction Input: the folder", "there has to be a JSON object"),
        ('Action: A\nAction Input: ["a"]', "there has to be a JSON object"),
        ('Action: A\nAction Input: {"a": 1', "is no JSON object"),
        ('Action: A\nAction Input: {"a": NaN}', "NaN"),
        ('Action: A\nAction Input: {"a": 1, "a": 2}', "'a' stands there twice"),
        ("Action: A\nAction Input: {'a': open('/etc/passwd')}", "is no JSON object"),
        ("Action: A\nAction Input: {'a': b'bytes'}", "JSON cannot hold"),
        ("Action: A\nAction Input: {1: 2}", "names for its values"),
        ("Action: A\nAction Input: {'a', 'b'}", "names for its values"),
        ('Action: A\nAction Input: {"a": "\\ud800"}', "JSON cannot hold"),
        ("Action: Final Answer\nAction Input: {'a': ", "is no JSON object"),
        ("Action: A\nAction Input: " + '{"a":' * 100_000, "is no JSON object"),
        ("x" * (LONGEST + 1), "at most 1,000,000"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, words: str) -> None:
    with pytest.raises(UnreadableError) as refused:
        parse(text)
    assert words in str(refused.value)
    assert len(str(refused.value)) < 400


def test_nothing_is_evaluated(tmp_path: Any) -> None:
    place = tmp_path / "made"
    with pytest.raises(UnreadableError):
        parse(f"Action: A\nAction Input: {{'a': __import__('pathlib').Path({str(place)!r}).touch()}}")
    assert not place.exists()


def test_hostile_replies_cost_little() -> None:
    """Work that grew with the square of the length would not end here."""
    texts = [
        "Action: " * 100_000,
        "\nAction:" * 100_000,
        "Action: A\nAction Input: {" + "'a': '" * 100_000,
        "Action: A\nAction Input: " + "{'" * 100_000,
        "*" * 900_000,
        "\n".join("#> " * 10 for _ in range(20_000)),
        " \n" * 400_000,
        json.dumps({"a": "x" * 900_000}),
    ]
    for text in texts:
        with pytest.raises(UnreadableError):
            parse(text)
