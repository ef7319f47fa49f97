"""The command line, as a user meets it: what is wrong is said in one line, with the right exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mlbench.cli import main
from mlbench.results.load_log import read_run
from mlbench.suites.suite import load_split
from tests import command_line

ROW = load_split("pocket", "quarter")[0]


def mlbench(*arguments: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return command_line.mlbench(*arguments, cwd=cwd, env={**clean, **env})


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ("eval nosuch --model mlbench/gold", 2, "no suite 'nosuch'"),
        ("eval pocket", 2, "no model is given"),
        ("eval --model mlbench/gold", 2, "no suite is given"),
        (
            "eval pocket --model mlbench/gold --setting nosuch",
            2,
            "no setting 'nosuch'; there are: oracle, oracle-published, readme",
        ),
        (
            "eval pocket --model mockllm/model --setting closed --agent ml_agent",
            2,
            "--setting closed: the agent ml_agent reads the repository itself",
        ),
        ("eval pocket --model mlbench/gold --split nosuch", 2, "no split 'nosuch'"),
        ("eval pocket --model mlbench/gold --repo nosuch", 2, "no repository 'nosuch'"),
        ("eval pocket --model mlbench/gold --repo glaze", 2, "split full of pocket has no rows of glaze"),
        ("eval pocket --model mlbench/gold --limit 0", 2, "--limit 0: at least 1"),
        ("eval pocket --model mlbench/gold -k 0", 2, "-k 0: at least 1"),
        ("eval pocket --model mlbench/gold --max-samples 0", 2, "--max-samples 0: at least 1"),
        ("eval pocket --model mlbench/gold --max-connections 0", 2, "--max-connections 0: at least 1"),
        ("eval pocket --model mlbench/gold --time-limit 0", 2, "limit seconds"),
        ("eval pocket --model mlbench/gold --time-limit nan", 2, "limit seconds"),
        ("eval pocket --model mlbench/gold --memory-limit -1", 2, "limit memory"),
        ("eval pocket --model mlbench/gold --paper-timeout -1", 2, "--paper-timeout -1.0: more than 0"),
        ("eval pocket --model mlbench/gold --display nosuch", 2, "no display 'nosuch'"),
        ("eval --resume --model mlbench/gold", 2, "leave --model out"),
        ("eval pocket --resume --setting readme -k 5", 2, "leave --setting, -k out"),
        ("agent --resume --step-limit 9 --display none", 2, "leave --step-limit out"),
        ("eval pocket --model mlbench/gold --workers 0", 2, "--workers 0: at least 1"),
        ("eval pocket --model mlbench/gold --sandbox nosuch", 2, "no sandbox 'nosuch'"),
        ("eval pocket --model mlbench/gold -M nonsense", 2, "write it as NAME=VALUE"),
        ("eval pocket --model mlbench/nosuch", 2, "no baseline mlbench/nosuch"),
        ("eval pocket --model nosuch/model", 2, "nosuch"),
        ("eval pocket --model openai/gpt-4o", 2, "OPENAI_API_KEY"),
        ("eval pocket --model openai/gpt-4o --base-url http://127.0.0.1:9/v1 -M api_key=x", 1, "nothing answers at"),
        (
            "eval pocket --model openai-api/local/x",
            2,
            "no address; --base-url http://localhost:8000/v1 or LOCAL_BASE_URL",
        ),
        (
            "eval pocket --model openai-api/my-lab/x --base-url http://192.0.2.1/v1",
            2,
            "no MY_LAB_API_KEY; if the endpoint needs none, any value does: export MY_LAB_API_KEY=none",
        ),
        ("eval pocket --model openai-api/local/x --base-url http://127.0.0.1:9/v1", 1, "nothing answers at"),
        ("eval --resume", 2, "nothing to resume: logs holds no unfinished run"),
        ("verify nosuch.jsonl", 2, "nosuch.jsonl: cannot be read"),
        ("verify empty.jsonl", 2, "empty.jsonl: is empty"),
        ("verify half.jsonl", 2, "half.jsonl, line 1: not JSON"),
        ("report nosuch", 2, "nosuch: no such log or folder"),
        ("report .", 2, "no log of mlbench in ."),
        ("report half.jsonl", 2, "half.jsonl"),
        ("suites show nosuch", 2, "no suite 'nosuch'"),
    ],
)
def test_bad_input_is_one_clear_line(
    tmp_path: Path,
    arguments: str,
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "half.jsonl").write_text('{"id": 1, "githu')
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LOCAL_API_KEY", "")  # so that it is restored: `find_key` sets it
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["mlbench", *arguments.split()])
    with pytest.raises(SystemExit) as leaving:
        main()
    out, err = capsys.readouterr()
    assert leaving.value.code == code, err
    lines = err.strip().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("mlbench: ")
    assert said in lines[0]
    assert "Traceback" not in out + err


def test_an_endpoint_is_tried_before_the_references_are_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """That nothing answers was said after a minute, in which every reference was judged."""
    from mlbench.evals.ml_agent_bench import baselines

    monkeypatch.setattr(baselines, "refuse_unsolvable", lambda *_: pytest.fail("the references are judged"))
    monkeypatch.setenv("LOCAL_API_KEY", "")  # so that it is restored: `find_key` sets it
    monkeypatch.chdir(tmp_path)
    words = "agent pocket --agent codeact --model openai-api/local/x --base-url http://[::1]:9/v1"
    monkeypatch.setattr(sys, "argv", ["mlbench", *words.split()])
    with pytest.raises(SystemExit):
        main()
    assert "nothing answers" in capsys.readouterr().err


def test_verify_judges_the_rest_and_writes_every_verdict(tmp_path: Path) -> None:
    replies = [f"```bash\n{ROW.output}\n```", "no code here", "", "no code here either"]
    good = {"id": ROW.id, "github_id": ROW.github_id, "output": replies}
    (tmp_path / "outputs.jsonl").write_text(json.dumps(good) + '\n{"id": 3,\n')
    done = mlbench("verify", "outputs.jsonl", "--json", "verdicts.jsonl", "--display", "none", cwd=tmp_path)
    assert done.returncode == 1
    assert "outputs.jsonl, line 2: not JSON" in done.stderr
    assert "1 malformed line in outputs.jsonl; the rest was judged" in done.stderr
    assert "Traceback" not in done.stderr
    verdicts = [json.loads(line) for line in (tmp_path / "verdicts.jsonl").read_text().splitlines()]
    assert [(v["attempt"], v["policy"], v["passed"], v["stage"], v["reason"]) for v in verdicts] == [
        (1, "strict", True, "outcome", "right"),
        (2, "strict", False, "extraction", "no-code"),
        (3, "strict", False, "extraction", "no-answer"),  # and not what is remembered of the one before
        (4, "strict", False, "extraction", "no-code"),
    ]
    keys = "id github_id attempt policy passed decided_by stage reason evidence hits php semantic_php errors seconds"
    assert set(verdicts[0]) == {*keys.split(), "outcome", "not_compared"}
    assert {hit["state"] for hit in verdicts[0]["hits"].values()} == {"hit"} and verdicts[0]["php"] == 1
    assert verdicts[1]["errors"] and {"class", "reason", "evidence"} == set(verdicts[1]["errors"][0])
    assert verdicts[0]["id"] == ROW.id
    assert verdicts[0]["seconds"] > 0


def test_verify_takes_model_split_and_setting_from_the_answers(tmp_path: Path) -> None:
    maker = {"model": "small", "tuned_on": ["ood_train"], "split": "full", "setting": "retrieval"}
    maker |= {"context_tokens": 4096, "reply_tokens": 512}
    line = {"id": ROW.id, "github_id": ROW.github_id, "output": ["", ""], "answered_by": maker}
    (tmp_path / "outputs.jsonl").write_text(json.dumps(line) + "\n")
    assert mlbench("verify", "outputs.jsonl", "--display", "none", cwd=tmp_path).returncode == 0
    run = read_run(next((tmp_path / "logs").iterdir()))
    assert (run.model, run.split, run.setting) == ("small (tuned, other repositories)", "full", "retrieval")
    assert len(run.attempts) == 2


def test_eval_ends_with_a_table_and_report_makes_a_page(tmp_path: Path) -> None:
    done = mlbench("eval", "pocket", "--model", "mlbench/gold", "--limit", "3", "--display", "none", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "3/3" in done.stdout
    done = mlbench("report", "logs", "-o", "page", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page" / "report.html").read_text()
    assert "mlbench/gold" in page
    assert "3/3" in done.stdout


def test_inspect_evaluates_our_task(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("inspect")), "eval", "mlbench/llm_bench", "--model", "mlbench/gold"]
    options = ["-T", "limit=2", "-T", "split=quarter", "--display", "plain", "--log-dir", str(tmp_path)]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "strict" in done.stdout


def test_a_recipe_that_no_longer_matches_is_said(tmp_path: Path) -> None:
    """A README that was edited under a recipe stops the run before a model is asked."""
    import shutil

    from mlbench.suites.suite import load_suite

    shutil.copytree(load_suite("pocket").root, tmp_path / "mine")
    readme = tmp_path / "mine/repositories/lichen/examples/arma/README.md"
    readme.write_text(readme.read_text().replace("ARMA", "Arma"))
    done = mlbench("eval", "mine", "--model", "mlbench/gold", cwd=tmp_path)
    assert done.returncode == 2
    assert "mlbench: recipe lichen/train-arma.yaml: examples/arma/README.md, lines" in done.stderr
    assert "no longer match their hash" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    done = mlbench("suites", "check", "mine", "--quick", cwd=tmp_path)
    assert done.returncode == 1
    assert mlbench("suites", "lock", "mine", cwd=tmp_path).stdout.splitlines() == ["locked lichen/train-arma"]
    assert mlbench("suites", "check", "mine", "--quick", cwd=tmp_path).returncode == 0


def test_export_opens_with_datasets(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    done = mlbench("suites", "export", "pocket", "-o", "rows", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    loaded = datasets.load_dataset(str(tmp_path / "rows"), cache_dir=str(tmp_path / "hf"))
    assert {name: len(split) for name, split in loaded.items()} == {
        "full": 260, "quarter": 68, "id_train": 2600, "ood_train": 2000,
    }  # fmt: skip
    columns = "github_id github repo_id id path arguments instruction oracle type output prefix_code completeness"
    assert loaded["full"].column_names == columns.split()
    file = str(tmp_path / "rows/jsonl/full.jsonl")
    lines = datasets.load_dataset("json", data_files=file, cache_dir=str(tmp_path / "hf"))
    assert list(lines["train"]) == list(loaded["full"])


def test_repositories_that_are_not_here_are_said(tmp_path: Path) -> None:
    cache = {"MLBENCH_CACHE": str(tmp_path)}
    done = mlbench("repos", "fetch", "nosuch", cwd=tmp_path, **cache)
    assert done.returncode == 2 and "no repository 'nosuch' in the catalogue; it has: bert, dgl" in done.stderr
    done = mlbench("repos", "fetch", "bert", "--mirror", str(tmp_path), cwd=tmp_path, **cache)
    assert done.returncode == 1 and "has no clone of google-research/bert" in done.stderr
    done = mlbench("repos", "list", cwd=tmp_path, **cache)
    assert done.returncode == 0 and done.stdout.count("not here") == 18
    done = mlbench("suites", cwd=tmp_path, **cache)
    assert done.returncode == 0 and "18 of 18 repositories are not here yet" in done.stdout
    done = mlbench("eval", "ml-bench", "--model", "mlbench/gold", cwd=tmp_path, **cache)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "18 of 18 repositories are not here yet (dgl, bert, LAVIS, …): `mlbench repos fetch`" in done.stderr


def test_build_writes_rows_and_what_was_found(tmp_path: Path) -> None:
    done = mlbench("build", "pocket", "-o", "rows", "--repo", "pointfold", cwd=tmp_path)
    assert done.returncode == 0 and "100.0" in done.stdout
    assert len((tmp_path / "rows" / "jsonl" / "full.jsonl").read_text().splitlines()) == 260
    found = [json.loads(line) for line in (tmp_path / "rows" / "references.jsonl").read_text().splitlines()]
    assert {each["repository"] for each in found} == {"pointfold"} and all(each["passed"] for each in found)
