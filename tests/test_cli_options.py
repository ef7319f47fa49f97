"""Options of the command line: one meaning each; what was renamed says its new name; nothing heavy for an error."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from mlbench.cli import app, main
from mlbench.cli.output import resume_command

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
RUNS = ("eval", "agent", "experiment")


def said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[object, str]:
    """The exit code and standard error of one command line."""
    monkeypatch.setattr(sys, "argv", ["mlbench", *words])
    with pytest.raises(SystemExit) as leaving:
        main()
    return leaving.value.code, capsys.readouterr().err


def options(command: str) -> dict[str, typer.core.TyperOption]:
    return {word: each for each in COMMANDS[command].params for word in each.opts if word.startswith("-")}


def test_shared_options_mean_the_same_everywhere() -> None:
    """`--time-limit` had three meanings, and 17 options stood three times and had drifted."""
    own = {"--agent", "--sandbox", "--policy"}  # in `eval` of answers, in `agent` of what it leaves
    for word in set(options("eval")) & set(options("agent")) - own:
        assert options("eval")[word].help == options("agent")[word].help or word == "--run-limit", word
    for word in set(options("experiment")) & set(options("agent")) - own:
        assert options("experiment")[word].help == options("agent")[word].help, word
    shared = {"--seed", "--max-tokens", "--workers", "--time-limit", "--token-limit", "--cost-limit", "--log-dir", "-M"}
    assert all(shared <= set(options(command)) for command in RUNS)


@pytest.mark.parametrize(
    ("words", "new"),
    [
        ("experiment imdb --flag log=false", "experiment: --flag is now --agent-option"),
        ("eval pocket --sentences rules", "eval: --sentences is gone: Punkt splits sentences on every machine"),
        ("eval pocket --flag log=false", "eval: --flag is now --agent-option of `mlbench experiment`"),
        ("experiment --check x --seeds 2", "experiment: --seeds is now --check-seeds"),
        ("eval pocket --no-remember", "eval: --no-remember is now --no-cache"),
        ("verify outputs.jsonl --time-limit 3", "verify: --time-limit is now --run-limit"),
        ("solve wish --steps 3", "solve: --steps is now --step-limit"),
        ("suites --export", "suites: --export is now mlbench suites export"),
        ("suites pocket", "suites: `mlbench suites pocket` is now `mlbench suites show pocket`"),
    ],
)
def test_a_renamed_option_says_its_new_name(
    words: str, new: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(monkeypatch, capsys, *words.split()) == (2, f"mlbench: {new}\n")


WRONG = [
    "eval nosuch --model mlbench/gold",
    "eval pocket --model mlbench/gold --split nosuch",
    "eval pocket --model mlbench/gold --setting nosuch",
    "eval pocket --model mlbench/gold --limit 0",
    "eval --resume --log-dir nosuch",
    "agent nosuch --agent gold",
    "agent pocket --agent gold --split nosuch",
    "agent pocket --model mlbench/copycat",
    "experiment nosuch --agent trivial",
    "verify nosuch.jsonl",
    "report nosuch",
    "report . --policy nosuch",
    "analyse tokens nosuch",
    "analyse tokens pocket --logs nosuch",
]


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (
            "report . --policy nosuch",
            "'nosuch' is not one of 'strict', 'interface', 'paper': see `mlbench report --help`",
        ),
        ("experiment --all --model mlbench/copycat", "cannot answer an agent; --agent trivial needs no model"),
        (
            "eval pocket --agent ml_agent --model mlbench/copycat",
            "cannot answer an agent; name another model, or no agent",
        ),
        ("solve task --model mlbench/copycat", "cannot answer an agent; name a model"),
        ("agent pocket --model mlbench/copycat", "cannot answer an agent; --agent gold needs no model"),
        ("eval pocket --limit x", "invalid value for '--limit'"),
        ("eval pocket --zzz", "no such option: --zzz: see `mlbench eval --help`"),
        ("eval pocket --limt 3", "no such option: --limt; did you mean --limit? See `mlbench eval --help`"),
        ("eval pocket --model", "option '--model' requires an argument: see `mlbench eval --help`"),
        ("--nosuch", "no such option: --nosuch: see `mlbench --help`"),
        ("--versio", "no such option: --versio; did you mean --version? See `mlbench --help`"),
        ("--version=3", "option '--version' does not take a value: see `mlbench --help`"),
        ("evl", "no such command 'evl'; did you mean 'eval'? See `mlbench --help`"),
        ("suites show", "missing argument 'name': see `mlbench suites show --help`"),
        ("nosuch", "no such command 'nosuch': see `mlbench --help`"),
    ],
)
def test_wrong_usage_is_one_line_of_ours(
    words: str, wrong: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--policy nosuch` printed four lines of Click."""
    code, line = said(monkeypatch, capsys, *words.split())
    assert code == 2
    assert line.startswith("mlbench: ") and line.count("\n") == 1
    assert wrong in line


def test_the_time_limit_of_eval_says_what_it_limits(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was the time of one candidate; whoever still means that is told of `--run-limit`."""
    assert "--run-limit" in said(monkeypatch, capsys, "eval", "--time-limit", "60")[1]
    assert "--run-limit" not in said(monkeypatch, capsys, "eval", "--time-limit", "60", "--agent", "ml_agent")[1]


def command_lines(command: typer.core.TyperCommand, path: str = "mlbench") -> Iterator[tuple[str, str]]:
    for name, each in getattr(command, "commands", {}).items():
        yield f"{path} {name}", each.help or ""
        yield from command_lines(each, f"{path} {name}")


def test_the_list_of_commands_shows_whole_sentences() -> None:
    """Click cuts a first sentence that is longer than the line."""
    first = {
        name: text.partition("\n\n")[0].replace("\n", " ") for name, text in command_lines(typer.main.get_command(app))
    }
    assert {name: line for name, line in first.items() if len(line) > 72 or not line.endswith(".")} == {}


def test_agents_are_listed_without_inspect() -> None:
    """It took two seconds of processor time."""
    code = "import sys, mlbench.cli.list as c; c.list_agents(sandbox='bubblewrap'); print('inspect_ai' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_errors_are_found_before_inspect_is_imported(tmp_path: Path) -> None:
    """`mlbench eval nosuch` took three seconds of processor time. One process tries them all."""
    code = (
        "import sys\nfrom mlbench.cli import main\n"
        f"for words in {WRONG!r}:\n"
        "    sys.argv = ['mlbench', *words.split()]\n"
        "    try:\n        main()\n    except SystemExit as leaving:\n"
        "        print(leaving.code, 'inspect_ai' in sys.modules, words)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines() == [f"2 False {words}" for words in WRONG]


@pytest.mark.parametrize(
    ("words", "again"),
    [
        (["eval", "pocket", "--model", "m"], "mlbench eval --resume"),
        (["agent", "pocket", "--log-dir", "my logs"], "mlbench agent --resume --log-dir 'my logs'"),
        (["experiment", "--log-dir=x", "-k", "2", "--max-samples", "3"],
         "mlbench experiment --resume --log-dir x --max-samples 3"),
    ],
)  # fmt: skip
def test_advice_after_ctrl_c_repeats_the_options_that_matter(words: list[str], again: str) -> None:
    assert resume_command(words) == again


@pytest.mark.parametrize(
    "group", ["", "analyse", "agents", "import", "leaderboard", "list", "suites", "repos", "train"]
)
def test_no_summary_of_a_command_is_cut(group: str) -> None:
    """At 80 columns, twelve of them ended in the middle of a sentence with three dots."""
    from typer.testing import CliRunner

    from mlbench.cli import app

    listed = CliRunner().invoke(app, [*group.split(), "--help"], terminal_width=80).output.partition("Commands:")[2]
    assert listed
    assert not [line for line in listed.splitlines() if line.endswith("...")]


def test_the_extra_of_an_agent_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """Rich took `[agents]` for markup, and the advice was `pip install 'mlbench-harness'`."""
    from mlbench.cli import list as lists

    table = lists._table("agent")
    table.add_row("pip install 'mlbench-harness[agents]'")
    lists._print(table)
    assert "'mlbench-harness[agents]'" in capsys.readouterr().out


@pytest.mark.parametrize("what", ["suites", "settings", "policies", "problems", "agents"])
def test_every_kind_of_name_is_listed(
    what: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from mlbench.evals.mlagentbench.problem import problems
    from mlbench.prompts.settings import SETTINGS
    from mlbench.records import Policy

    names = {
        "suites": ["pocket", "ml-bench"],
        "settings": list(SETTINGS),
        "policies": [policy.value for policy in Policy],
        "problems": problems(),
        "agents": ["codeact", "research_agent", "gold"],
    }[what]
    monkeypatch.setattr(sys, "argv", ["mlbench", "list", what])
    with pytest.raises(SystemExit) as leaving:
        main()
    lines = capsys.readouterr().out.splitlines()
    assert leaving.value.code == 0
    assert set(names) <= {line.split()[0] for line in lines if line.strip()}


def test_python_m_and_completion() -> None:
    done = subprocess.run([sys.executable, "-m", "mlbench", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("mlbench ")
    words = {option for each in typer.main.get_command(app).params for option in each.opts}
    assert {"--install-completion", "--show-completion"} <= words


def test_rows_are_exported_without_pyarrow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from mlbench.suites import export

    monkeypatch.setattr(export, "find_spec", lambda name: None)
    assert said(monkeypatch, capsys, "suites", "export", "pocket", "-o", str(tmp_path))[0] == 0
    assert sorted(each.name for each in tmp_path.iterdir()) == ["README.md", "jsonl"]
    assert "path: jsonl/full.jsonl" in (tmp_path / "README.md").read_text()
    code, words = said(monkeypatch, capsys, "suites", "export", "pocket", "-o", str(tmp_path), "--format", "parquet")
    assert code == 2 and "pip install" in words
