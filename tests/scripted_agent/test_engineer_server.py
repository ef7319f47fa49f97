"""The engineer's server as clients of OpenAI's protocol see it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from tests.scripted_agent import Engineer
from tests.scripted_agent.protocol import Call, Conversation, Reply

openai = pytest.importorskip("openai", reason="pip install openai")

CALLS = (Call("bash", '{"cmd": "ls"}'), Call("bash", '{"cmd": "pwd"}'))
TOOLS = [{"type": "function", "function": {"name": "bash", "parameters": {"properties": {"cmd": {"type": "string"}}}}}]
FLAT = [{"type": "function", "name": "bash", "parameters": {"properties": {"cmd": {"type": "string"}}}}]


def _think(said: Conversation) -> Reply:
    return Reply("Two things.", CALLS) if said.tools else Reply("Hello. " * 1000)


@pytest.fixture
def engineer() -> Iterator[Engineer]:
    with Engineer(think=_think) as engineer:
        yield engineer


@pytest.fixture
def client(engineer: Engineer) -> Iterator[object]:
    with openai.OpenAI(base_url=engineer.url, api_key="k", max_retries=0) as client:
        yield client


def test_a_chat_completion_with_parallel_calls(client, engineer) -> None:  # type: ignore[no-untyped-def]
    said = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x" * 401}], tools=TOOLS)
    message = said.choices[0].message
    assert [(c.function.name, c.function.arguments) for c in message.tool_calls] == [
        (c.name, c.arguments) for c in CALLS
    ]
    assert len({call.id for call in message.tool_calls}) == 2
    assert said.choices[0].finish_reason == "tool_calls"
    assert said.usage.prompt_tokens == 101
    assert engineer.asked[0].key == "k"


def test_a_streamed_chat_completion_is_the_same_and_ends_with_its_usage(client) -> None:  # type: ignore[no-untyped-def]
    asked = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": TOOLS}
    whole = client.chat.completions.create(**asked)
    chunks = list(client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True}))
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == whole.choices[0].message.content
    pieces: dict[int, str] = {}
    for call in (call for c in chunks if c.choices for call in c.choices[0].delta.tool_calls or ()):
        pieces[call.index] = pieces.get(call.index, "") + (call.function.arguments or "")
    assert list(pieces.values()) == [call.arguments for call in CALLS]
    assert chunks[-1].usage == whole.usage


def test_a_stream_without_usage_has_no_chunk_for_it(client) -> None:  # type: ignore[no-untyped-def]
    chunks = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}], stream=True)
    assert all(chunk.choices for chunk in chunks)


@pytest.mark.parametrize("tools", [[], FLAT])
def test_a_response_at_once_and_streamed(client, tools) -> None:  # type: ignore[no-untyped-def]
    whole = client.responses.create(model="m", input="hi", tools=tools)
    events = list(client.responses.create(model="m", input="hi", tools=tools, stream=True))
    last = events[-1].response
    assert [item.type for item in whole.output] == [item.type for item in last.output]
    assert whole.output_text == last.output_text
    deltas = "".join(e.delta for e in events if e.type == "response.output_text.delta")
    assert deltas == whole.output_text
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert whole.usage == last.usage


def test_the_conversation_of_a_response_is_read_whole(engineer, client) -> None:  # type: ignore[no-untyped-def]
    items = [
        {"role": "user", "content": [{"type": "input_text", "text": "task"}]},
        {"type": "function_call", "name": "bash", "arguments": '{"cmd": "ls"}', "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": "a.txt"},
    ]
    client.responses.create(model="m", input=items, instructions="system", tools=FLAT)
    said = engineer.asked[0].said
    assert [message.role for message in said.messages] == ["system", "user", "assistant", "tool"]
    assert said.messages[2].calls[0].values() == {"cmd": "ls"}
    assert (said.messages[3].answers, said.messages[3].text) == ("c1", "a.txt")


def test_a_forced_tool_is_known(engineer, client) -> None:  # type: ignore[no-untyped-def]
    choice = {"type": "function", "function": {"name": "bash"}}
    client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "hi"}], tools=TOOLS, tool_choice=choice
    )
    assert engineer.asked[0].said.forced == "bash"


def test_the_models_are_the_behaviours(client) -> None:  # type: ignore[no-untyped-def]
    assert {"competent", "refusal"} <= {model.id for model in client.models.list()}


def test_the_model_chooses_the_behaviour() -> None:
    with Engineer() as engineer, openai.OpenAI(base_url=engineer.url, api_key="k") as client:
        said = client.chat.completions.create(model="x/refusal", messages=[{"role": "user", "content": "hi"}])
    assert "can't help" in said.choices[0].message.content
    assert engineer.asked[0].behaviour == "refusal"


@pytest.mark.parametrize(
    "body, words",
    [
        (b"{", "no JSON"),
        (b"[]", "no JSON object"),
        (b'{"model": "m"}', "messages"),
        (b'{"model": "m", "messages": [{"role": "wizard", "content": ""}]}', "wizard"),
        (b'{"model": "m", "messages": [], "tool_choice": {"type": "function", "function": {"name": "no"}}}', "'no'"),
    ],
)
def test_what_is_malformed_is_refused_in_words(engineer: Engineer, body: bytes, words: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{engineer.url}/chat/completions", body, timeout=5)
    assert refused.value.code == 400
    assert words in json.load(refused.value)["error"]["message"]


def test_an_unknown_path_is_named(engineer: Engineer) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{engineer.url}/embeddings", b"{}", timeout=5)
    assert refused.value.code == 404


def test_a_fault_of_the_engineer_is_an_error_of_the_server_and_kept() -> None:
    def fails(said: Conversation) -> Reply:
        raise ZeroDivisionError("oh")

    with Engineer(think=fails) as engineer, pytest.raises(urllib.error.HTTPError) as failed:
        urllib.request.urlopen(f"{engineer.url}/chat/completions", b'{"model": "m", "messages": []}', timeout=5)
    assert failed.value.code == 500
    assert isinstance(engineer.faults[0], ZeroDivisionError)


def test_an_unknown_behaviour_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match="competent"):
        Engineer("lazy")
