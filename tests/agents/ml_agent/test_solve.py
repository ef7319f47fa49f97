"""`mlbench solve`, as a user meets it, with a model that says what the test wants it to."""

from __future__ import annotations

import json
import re

import pytest
from inspect_ai.model import GenerateConfig, Model
from typer.testing import CliRunner, Result

from mlbench import eval_models
from mlbench.agents.ml_agent import solve_setup
from mlbench.agents.ml_agent.search import SearchResult
from mlbench.agents.ml_agent.search.catalogue import RepositoryCatalogue
from mlbench.cli import app
from mlbench.records import RunError, UsageError
from mlbench.run_config import RunConfig
from tests.agents.ml_agent.playing import Policy, by_tool, call, playing

WISH = "Train a toad on the lake data for 5 epochs."
RIGHT = "python train.py --data lake --n_epochs 5"


def policy(code: str = RIGHT, language: str = "bash", folder: str = ".") -> Policy:
    return by_tool(
        search_repositories=call("search_repositories", keywords=["toad"]),
        rank_repositories=call("rank_repositories", names=["toad"]),
        judge_repository=call("judge_repository", suitable=True, reason="", readmes=["README.md"]),
        answer=call("answer", language=language, folder=folder, plan="First.\nThen \x1b[31mred.", code=code),
    )


def solve(monkeypatch: pytest.MonkeyPatch, said: Policy, *arguments: str) -> Result:
    monkeypatch.setattr(eval_models, "model_of", lambda *_: playing(said))
    return CliRunner().invoke(app, ["solve", WISH, "--model", "mockllm/model", *arguments])


def test_the_plan_the_sources_the_command_and_the_check_are_printed(
    monkeypatch: pytest.MonkeyPatch, toad: SearchResult
) -> None:
    found = solve(monkeypatch, policy(), "--repo", str(toad.folder))
    assert found.exit_code == 0, found.output
    assert "repository: toad\n" in found.output
    assert "  First.\n" in found.output
    assert "relied on:  README.md:6-9\n" in found.output
    assert f"\n{RIGHT}\n" in found.output
    assert "check:      accepted\n" in found.output
    assert "\x1b" not in found.output


def test_an_answer_that_is_refused_ends_with_1(monkeypatch: pytest.MonkeyPatch, toad: SearchResult) -> None:
    found = solve(monkeypatch, policy("python train.py --toad 1"), "--repo", str(toad.folder))
    assert found.exit_code == 1
    assert "check:      rejected (missing-argument)" in found.output
    found = solve(monkeypatch, policy("python train.py --toad 1"), "--repo", str(toad.folder), "--no-check")
    assert found.exit_code == 0
    assert "check:      not-checked" in found.output


def test_it_is_found_among_the_checkouts_of_a_folder(monkeypatch: pytest.MonkeyPatch, toad: SearchResult) -> None:
    assert toad.folder
    found = solve(monkeypatch, policy(), "--folder", str(toad.folder.parent), "--json")
    assert found.exit_code == 0, found.output
    result = json.loads(found.stdout)
    assert (result["repository"], result["found"], result["outcome"]) == ("toad", ["toad"], "answered")
    assert (result["checked"]["status"], result["ran"]) == ("accepted", None)


@pytest.mark.parametrize(
    ("code", "language", "exit_code", "printed", "ended"),
    [
        ("python -c 'print(6 * 7)'; python train.py --data lake --n_epochs 5", "bash", 0, "42\n", "exit code 0"),
        ("from sub.tool import tool\nprint(tool(41) + 1)", "python", 0, "42\n", "exit code 0"),
        ("echo out; echo err >&2; exit 3", "bash", 1, "out\nerr\n", "exited, exit code 3"),
        ("head -c 300000 /dev/zero | tr '\\0' x", "bash", 0, "x" * 300_000, "exit code 0"),
        ("printf '\\033]0;x\\007'", "bash", 0, "\ufffd]0;x\ufffd", "exit code 0"),
        ("echo a; kill -9 $$", "bash", 1, "a\n", "exit code 137"),
        ("cat; sleep 0.1 & echo b", "bash", 0, "b\n", "exit code 0"),
        ("echo c; sleep 60", "bash", 1, "c\n", "timeout"),
    ],
)
def test_execute_runs_it_in_a_sandbox_and_streams(
    monkeypatch: pytest.MonkeyPatch,
    toad: SearchResult,
    code: str,
    language: str,
    exit_code: int,
    printed: str,
    ended: str,
) -> None:
    limit = ["--run-limit", "1"] if ended == "timeout" else []
    arguments = ["--repo", str(toad.folder), "--execute", "--no-check", *limit]
    found = solve(monkeypatch, policy(code, language), *arguments)
    assert printed in found.output
    assert ended in found.output.splitlines()[-1]
    assert found.exit_code == exit_code
    assert toad.folder
    assert not (toad.folder / "run.sh").exists()


def test_a_bundled_repository_is_run_in_its_own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "cd implementations/gan && python gan.py --n_epochs 1"
    found = solve(monkeypatch, policy(code), "--repo", "mirage", "--execute")
    assert "check:      accepted" in found.output
    assert "exit code 0" in found.output


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (["--repo", "nosuch"], UsageError, "--repo nosuch: no address, no folder, and none of: bert"),
        (["--repo", "ssh://x/y"], UsageError, "expected an address such as https://github.com/OWNER/NAME"),
        (["--search", "nosuch"], UsageError, "--search nosuch: there are catalogue and github"),
        (["--suite", "nosuch"], UsageError, "no suite 'nosuch'"),
        (["--suite", "pocket", "--repo", "nosuch"], UsageError, "none of: lichen, quillpress"),
        (["--folder", "/nosuch"], UsageError, "/nosuch: no such folder"),
        (["--environment", "/nosuch"], UsageError, "--environment /nosuch: no virtual environment"),
        (["--step-limit", "0"], UsageError, "steps=0"),
        (["--tokens", "1"], UsageError, "tokens=1"),
        (["--run-limit", "0"], UsageError, "limit seconds"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], error: type[Exception], said: str
) -> None:
    found = solve(monkeypatch, policy(), *arguments)
    assert isinstance(found.exception, error), found.output
    assert re.search(re.escape(said), str(found.exception))
    assert "\n" not in str(found.exception)


def test_no_wish_and_no_model_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INSPECT_EVAL_MODEL", raising=False)
    found = CliRunner().invoke(app, ["solve", "x"])
    assert "no model is given" in str(found.exception)
    found = CliRunner().invoke(app, ["solve", " ", "--model", "mockllm/model"])
    assert "the instruction is empty" in str(found.exception)


def test_the_model_is_asked_as_in_eval(monkeypatch: pytest.MonkeyPatch, toad: SearchResult) -> None:
    given: list[GenerateConfig] = []

    def load(name: str, config: RunConfig, asked: GenerateConfig) -> Model:
        given.append(asked)
        assert (config.base_url, config.model_args) == ("http://here/v1", {"emulate_tools": True})
        return playing(policy())

    monkeypatch.setattr(eval_models, "model_of", load)
    words = "--temperature 0.5 --max-tokens 900 --seed 3 --max-connections 2 --max-retries 1 --base-url http://here/v1"
    where = ["--model", "mockllm/model", "-M", "emulate_tools=true", "--repo", str(toad.folder)]
    found = CliRunner().invoke(app, ["solve", WISH, *where, *words.split()])
    assert found.exit_code == 0, found.output
    asked = {"temperature": 0.5, "max_tokens": 900, "seed": 3, "max_connections": 2, "max_retries": 1}
    assert given[0].model_dump(exclude_none=True) == asked


def test_no_answer_says_why(monkeypatch: pytest.MonkeyPatch, toad: SearchResult) -> None:
    said = by_tool(judge_repository=call("judge_repository", suitable="perhaps"))
    found = solve(monkeypatch, said, "--repo", str(toad.folder))
    assert found.exit_code == 1
    assert "no answer:  invalid-decision: judge_repository: suitable: " in found.output


def test_a_model_that_fails_is_one_line(monkeypatch: pytest.MonkeyPatch, toad: SearchResult) -> None:
    def broken(*_: object) -> None:
        raise ConnectionError("the line\nis cut")

    monkeypatch.setattr(eval_models, "model_of", lambda *_: playing(broken))  # type: ignore[arg-type]
    found = CliRunner().invoke(app, ["solve", WISH, "--model", "mockllm/model", "--repo", str(toad.folder)])
    assert isinstance(found.exception, RunError)
    assert str(found.exception) == "model mockllm/model: the line is cut"


def test_without_any_fetched_repository_the_bundled_ones_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve_setup, "of_catalogue", lambda: RepositoryCatalogue(()))
    assert solve_setup.solve_backend(solve_setup.SolveRequest()).about == "the repositories of pocket"
