"""Fine-tuning with the real libraries on a tiny model; skipped unless the extra `train` is installed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mlbench.cli import app
from mlbench.eval_models import window_of
from mlbench.records import RunError, UsageError
from mlbench.results.training_curve import training_curve
from mlbench.run_config import RunConfig
from mlbench.suites.answered_by import AnsweredBy, TunedRepositories
from mlbench.suites.suite import load_suite
from mlbench.training import fine_tune as module
from mlbench.training.generate import RowAnswer, answered
from mlbench.training.models import load_errors, out_of_memory_named
from mlbench.training.recipes import RECIPES
from mlbench.training.tune_config import TrainingRows, TuneConfig, read_config, refuse_another_run, write_config
from mlbench.training.tuned_model import (
    TunedModel,
    asked_repositories,
    known_repositories,
    suite_split,
    tuned_model,
    write_tuned,
)
from tests.training.tiny_model import write_tiny_gguf, write_tiny_model

ROWS = 8
WORDS = ["--full", "--context-tokens", "2048", "--batch-size", "2"]
trained = pytest.mark.training


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples") / "examples"
    result = CliRunner().invoke(app, ["train", "export", "pocket", "-o", str(folder), "--limit", str(ROWS)])
    assert result.exception is None, result.exception
    return folder / "prompt_completion.jsonl"


@pytest.fixture(scope="module")
def model(examples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(examples, tmp_path_factory.mktemp("model"))


def command(model: Path, examples: Path, output: Path, *more: str) -> list[str]:
    words = ["train", "run", "pocket", "--model", str(model), "--examples", str(examples), "-o", str(output)]
    return [*words, *WORDS, *more]


def test_an_incomplete_checkpoint_is_removed(tmp_path: Path) -> None:
    for step, state in ((2, '{"global_step": 2}'), (10, '{"global_step": 10}'), (11, '{"global_st'), (12, None)):
        folder = tmp_path / f"checkpoint-{step}"
        folder.mkdir()
        if state is not None:
            (folder / "trainer_state.json").write_text(state)
    assert module.last_checkpoint(tmp_path) == str(tmp_path / "checkpoint-10")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["checkpoint-10", "checkpoint-2"]
    assert module.last_checkpoint(tmp_path / "nowhere") is None


def test_examples_are_divided_by_the_seed_alone() -> None:
    records = [{"prompt": [n], "completion": []} for n in range(40)]
    train, held_out = module.divided(records, 0.1, 42)
    assert (train, held_out) == module.divided(records, 0.1, 42) != module.divided(records, 0.1, 43)
    assert len(held_out) == 4 and sorted(r["prompt"][0] for r in train + held_out) == list(range(40))


MAKER = AnsweredBy(model="tiny", split="full", setting="oracle", context_tokens=2048, reply_tokens=512)


def test_a_cut_off_answer_is_made_again(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    whole = RowAnswer(3, 1, ("a",)).line(MAKER)
    file.write_text(whole + '{"id": 4, "github_id": 1, "outp')
    assert answered(file, MAKER) == {3}
    assert file.read_text() == whole
    with pytest.raises(UsageError, match="line 1: of another model, setting or sampling"):
        answered(file, MAKER.model_copy(update={"tuned_on": ("id_train",)}))
    file.write_text("something else\n")
    with pytest.raises(UsageError, match="no answer of mlbench"):
        answered(file, MAKER)
    assert answered(tmp_path / "none.jsonl", MAKER) == set()


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("mlbench.training.models.find_spec", lambda name: None)
    error = CliRunner().invoke(app, ["train", "run", "pocket", "--model", "x", "-o", str(tmp_path / "o")]).exception
    assert isinstance(error, UsageError) and "pip install 'mlbench-harness[train]'" in str(error)
    assert not (tmp_path / "o").exists()


def test_a_run_yaml_says_rows_or_a_file(tmp_path: Path) -> None:
    rows = TrainingRows(suite="pocket", split="ood_train", limit=8)
    for examples in (rows, tmp_path / "own.jsonl"):
        config = TuneConfig(examples=examples, model="x", recipe=RECIPES["paper"])
        folder = tmp_path / type(examples).__name__
        assert not refuse_another_run(folder, config)
        write_config(folder, config)
        assert read_config(folder / "run.yaml") == config and refuse_another_run(folder, config)
        with pytest.raises(UsageError, match="holds another run"):
            refuse_another_run(folder, config.model_copy(update={"model": "y"}))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").touch()
    with pytest.raises(UsageError, match="not empty, and not a training run"):
        refuse_another_run(tmp_path / "full", config)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        ("a: [", "not a run.yaml"),
        ("model: x\nexamples: a.jsonl", "recipe: field required"),
        ("model: x\nexamples: a.jsonl\nrecipe: {}", "recipe.learning_rate: field required"),
    ],
)
def test_a_run_yaml_that_cannot_be_used_is_one_line(tmp_path: Path, content: str | None, said: str) -> None:
    if content is not None:
        (tmp_path / "run.yaml").write_text(content)
    with pytest.raises(UsageError) as caught:
        read_config(tmp_path / "run.yaml")
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_training_rows_of_another_suite_are_not_of_the_same_repositories() -> None:
    """A model tuned on `id_train` of another suite was called tuned on the same repositories."""
    records: list[dict[str, object]] = [
        {"suite": "pocket", "split": "ood_train"},
        {"suite": "pocket-rename-3", "twins_of": "pocket", "split": "ood_train"},
        {"suite": "ml-bench", "split": "id_train"},
        {"split": "ood_train"},
        {},
    ]
    assert [suite_split(each) for each in records] == [
        "pocket/ood_train",
        "pocket/ood_train",
        "ml-bench/id_train",
        "ood_train",
        "unknown",
    ]


OOD, ID, BOTH = (
    "small (tuned, other repositories)",
    "small (tuned, same repositories)",
    ("small (tuned, other and same repositories)"),
)


@pytest.mark.parametrize(
    ("tuned_on", "repositories", "label"),
    [
        ((), None, "small"),
        (("pocket/id_train",), ("pocket/lichen", "pocket/mirage"), ID),
        (("pocket/ood_train", "ml-bench/id_train"), ("pocket/glaze", "https://github.com/dmlc/dgl"), OOD),
        (("ml-bench/id_train",), ("https://github.com/dmlc/dgl",), OOD),
        (("pocket/ood_train", "pocket/id_train"), ("pocket/glaze", "pocket/lichen"), BOTH),
        (("mine/id_train",), ("pocket/lichen",), ID),  # a suite of somebody's own, of the same repository
        (("unknown",), None, "small (tuned)"),
        # written before models named their repositories
        (("pocket/id_train",), None, ID),
        (("ood_train",), None, OOD),
        (("pocket/id_train", "pocket/ood_train"), None, BOTH),
        (("ml-bench/id_train",), None, "small (tuned)"),
    ],
)
def test_the_repositories_of_the_examples_decide_the_label(
    tuned_on: tuple[str, ...], repositories: tuple[str, ...] | None, label: str
) -> None:
    """A model tuned on several suites, none with a repository of the test rows, was no model tuned on others."""
    tuned = TunedModel(model="small", tuned_on=tuned_on, repositories=repositories)
    asked = asked_repositories(load_suite("pocket"), "quarter")
    maker = MAKER.model_copy(
        update={"model": "small", "tuned_on": tuned.beside("pocket"), "tuned_repositories": tuned.compared_with(asked)}
    )
    assert AnsweredBy.model_validate_json(maker.model_dump_json()).label == label


def test_a_tuned_model_knows_what_it_was_tuned_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, adapter, again = (tmp_path / name for name in ("small", "adapter", "again"))
    for folder in (base, adapter, again):
        folder.mkdir()
    assert tuned_model(str(base)) == TunedModel(model="small") and tuned_model("org/small").model == "org/small"
    assert tuned_model(str(base), adapter).tuned_on == ("unknown",)
    write_tuned(adapter, str(base), ["ood_train"], {"x/b"})
    write_tuned(again, str(adapter), ["id_train"], {"x/a", "x/b"})
    assert tuned_model(str(base), adapter) == TunedModel(model="small", tuned_on=("ood_train",), repositories=("x/b",))
    assert tuned_model(str(again)).tuned_on == ("id_train", "ood_train")
    assert tuned_model(str(again)).repositories == ("x/a", "x/b")
    assert tuned_model(str(again)).compared_with({"x/a"}) is TunedRepositories.BOTH
    write_tuned(adapter, str(base), ["ood_train"], known_repositories(["x/b", None]))
    write_tuned(again, str(adapter), ["id_train"], {"x/a"})
    assert tuned_model(str(again)).repositories is None  # half of them are not known
    assert not capsys.readouterr().err
    tuned_model("org/other", adapter)
    assert "was trained on small, not on org/other" in capsys.readouterr().err
    (adapter / "mlbench.json").write_text("{")
    with pytest.raises(UsageError, match="cannot be read; remove it"):
        tuned_model(str(base), adapter)


def test_a_curve_is_drawn() -> None:
    table = "step,epoch,loss,eval_loss,learning_rate\n1,0.5,2.5,,0.1\n2,1,1.5,,0.1\n2,1,,1.75,\n"
    drawn = training_curve(table)
    assert drawn is not None and drawn.startswith("<svg") and "held out" in drawn and "training" in drawn
    assert training_curve("step,epoch,loss,eval_loss,learning_rate\n") is None


def checkpoints(folder: Path) -> set[Path]:
    return set((folder / "checkpoints").glob("checkpoint-*/trainer_state.json"))


@trained
def test_killed_and_continued_ends_as_if_never_killed(examples: Path, model: Path, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert CliRunner().invoke(app, command(model, examples, whole, "--recipe", "paper", "--epochs", "3")).exit_code == 0
    words = command(model, examples, broken, "--recipe", "paper", "--epochs", "3")
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-m", "mlbench", *words], start_new_session=True)
        seen = checkpoints(broken)
        while process.poll() is None and not checkpoints(broken) - seen:
            time.sleep(0.05)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert CliRunner().invoke(app, words).exit_code == 0
    one, other = (json.loads((folder / "summary.json").read_text()) for folder in (whole, broken))
    assert one["steps"] == other["steps"] > 3
    assert other["last_loss"] == pytest.approx(one["last_loss"], abs=1e-5)
    assert other["last_held_out_loss"] == pytest.approx(one["last_held_out_loss"], abs=1e-5)
    refused = CliRunner().invoke(app, command(model, examples, broken, "--recipe", "paper", "--epochs", "4")).exception
    assert isinstance(refused, UsageError) and "holds another run" in str(refused)


@trained
def test_tuned_models_answer(examples: Path, model: Path, tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    words = ["train", "generate", "pocket", "--model", str(model), "-o", str(file), "--limit", "3", "--max-tokens", "8"]
    for _ in range(2):  # the second time, nothing is left to do
        result = CliRunner().invoke(app, [*words, "--context-tokens", "2000", "-k", "2"])
        assert result.exception is None, result.exception
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(lines) == 3 and all(len(line["output"]) == 2 for line in lines)
    maker = AnsweredBy.model_validate(lines[0]["answered_by"])
    assert (maker.label, maker.setting, maker.reply_tokens) == (model.name, "oracle", 500)
    long = CliRunner().invoke(app, [*words, "--context-tokens", "2000", "--max-tokens", "600"]).exception
    assert isinstance(long, UsageError) and "prompts leave 500 tokens; raise --reply-tokens" in str(long)


@trained
def test_a_run_is_made_again_from_its_run_yaml(model: Path, tmp_path: Path) -> None:
    """A run that makes its own examples was refused by its own folder, because the examples were in it."""
    first, again = tmp_path / "first", tmp_path / "again"
    rows = ["--split", "ood_train", "--limit", str(ROWS), "--epochs", "1"]
    made = CliRunner().invoke(app, ["train", "run", "pocket", "--model", str(model), "-o", str(first), *WORDS, *rows])
    assert made.exception is None, made.exception
    config = ["train", "run", "--config", str(first / "run.yaml"), "-o"]
    for _ in range(2):  # the second time, nothing is left to do
        assert CliRunner().invoke(app, [*config, str(again)]).exception is None
    assert (first / "curve.csv").read_text() == (again / "curve.csv").read_text()
    assert (first / "curve.svg").read_text().startswith("<svg")
    assert tuned_model(str(first / "model")) == TunedModel(
        model=model.name,
        tuned_on=("pocket/ood_train",),
        repositories=tuple(f"pocket/{each}" for each in ("glaze", "problemforge", "voxelmill")),
    )
    refused = CliRunner().invoke(app, [*config, str(again), "--epochs", "2"]).exception
    assert isinstance(refused, UsageError) and "--config says this already: leave --epochs out" in str(refused)


@trained
def test_two_processes_train_as_one(examples: Path, model: Path, tmp_path: Path) -> None:
    """Each takes half of a batch, and one of them writes. On a processor, as `accelerate launch` does on two GPUs."""

    def updates(processes: int, batch: int) -> dict[str, float]:
        output = tmp_path / str(processes)
        words = command(model, examples, output, "--epochs", "1", "--held-out", "0")
        words[words.index("--batch-size") + 1] = str(batch)
        launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", str(processes)]
        alone = {**os.environ, "ACCELERATE_USE_CPU": "true", "OMP_NUM_THREADS": "1"}
        run = subprocess.run([*launch, "-m", "mlbench", *words], env=alone, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        assert run.stdout.count("tuned model:") == 1
        summary: dict[str, float] = json.loads((output / "summary.json").read_text())
        return summary

    one, two = updates(1, 4), updates(2, 2)
    assert one["steps"] == two["steps"] > 0
    assert two["last_loss"] == pytest.approx(one["last_loss"], rel=0.02)


@trained
def test_a_folder_with_a_gguf_file_is_trained(examples: Path, model: Path, tmp_path: Path) -> None:
    """transformers unpacks such a file and still calls the model quantized, which no trainer takes."""
    folder = write_tiny_gguf(model, tmp_path / "gguf")
    words = ["train", "run", "--model", str(folder), "--examples", str(examples), "-o", str(tmp_path / "out")]
    made = CliRunner().invoke(app, [*words, "--context-tokens", "2048", "--batch-size", "2", "--epochs", "1"])
    assert made.exception is None, made.exception
    assert (tmp_path / "out" / "model" / "adapter_model.safetensors").is_file()


@trained
def test_a_merged_model_answers_as_its_adapter(examples: Path, model: Path, tmp_path: Path) -> None:
    """From a GGUF file, which Inspect's hf/ does not read. A further run starts from the folder, and names its base."""
    base, out, merged = write_tiny_gguf(model, tmp_path / "gguf"), tmp_path / "out", tmp_path / "merged"
    words = command(base, examples, out, "--recipe", "paper", "--epochs", "1", "--learning-rate", "0.3")
    words.remove("--full")
    done = CliRunner().invoke(app, words)
    assert done.exception is None, done.exception
    merge = ["train", "merge", "--model", str(base), "-o"]
    adapter = ["--adapter", str(out / "model")]
    for target, more in ((merged, adapter), (tmp_path / "raw", [])):
        done = CliRunner().invoke(app, [*merge, str(target), *more])
        assert done.exception is None, done.exception
    assert "exists already" in str(CliRunner().invoke(app, [*merge, str(merged)]).exception)
    assert tuned_model(str(merged)) == tuned_model(str(base), out / "model") != tuned_model(str(tmp_path / "raw"))
    replies = {}
    for name, source in (("adapter", [str(base), *adapter]), ("merged", [str(merged)]), ("raw", [str(base)])):
        file = tmp_path / f"{name}.jsonl"
        asked = [
            "train",
            "generate",
            "pocket",
            "-o",
            str(file),
            "--limit",
            "2",
            "--max-tokens",
            "8",
            "--model",
            *source,
        ]
        done = CliRunner().invoke(app, [*asked, "--context-tokens", "2000"])
        assert done.exception is None, done.exception
        replies[name] = [json.loads(line)["output"] for line in file.read_text().splitlines()]
    assert replies["merged"] == replies["adapter"] != replies["raw"]


@trained
def test_a_model_of_transformers_states_its_window(model: Path) -> None:
    assert window_of(f"hf/{model}", RunConfig()) == 2048


@trained
def test_too_little_memory_or_disk_is_one_line(tmp_path: Path) -> None:
    import torch

    with pytest.raises(RunError, match="out of memory: lower --batch"), out_of_memory_named("--batch"):
        torch.empty(10**15)
    file = tmp_path / "state.pt"
    file.symlink_to("/dev/full")
    said = "free space, then the same command goes on"
    with pytest.raises(RunError, match=said), module.full_disk_named(tmp_path):
        torch.save(torch.zeros(10**5), file)


@trained
@pytest.mark.parametrize(
    "fault",
    ["no template", "no model", "no folder", "an adapter", "context", "adapter", "two files", "too long", "lost"],
)
def test_a_model_that_cannot_be_used_is_one_line(fault: str, examples: Path, model: Path, tmp_path: Path) -> None:
    words, said = command(model, examples, tmp_path / "out"), ""
    if fault == "no template":
        plain = write_tiny_model(examples, tmp_path / "plain", template=False)
        words, said = command(plain, examples, tmp_path / "out"), "no chat template"
    elif fault == "no model":
        words, said = (
            command(tmp_path, examples, tmp_path / "out"),
            "holds no model: neither config.json nor a GGUF file",
        )
    elif fault == "no folder":
        words, said = command(Path("./nosuch"), examples, tmp_path / "out"), "no such folder"
        words[words.index("nosuch")] = "./nosuch"
    elif fault == "an adapter":
        (tmp_path / "adapter_config.json").touch()
        words, said = command(tmp_path, examples, tmp_path / "out"), "an adapter; name its base with --model"
    elif fault == "context":
        words, said = [*words, "--context-tokens", "4096"], "was made for 2048"
    elif fault == "adapter":
        words = ["train", "generate", "pocket", "--model", str(model), "-o", str(tmp_path / "a"), "--limit", "1"]
        words, said = [*words, "--adapter", str(tmp_path)], "no adapter"
    elif fault == "two files":
        copy = shutil.copytree(model, tmp_path / "copy")
        (copy / "a.gguf").touch()
        (copy / "b.gguf").touch()
        words, said = command(copy, examples, tmp_path / "out"), "several GGUF files"
    elif fault == "lost":
        from safetensors.torch import load_file, save_file

        file = shutil.copytree(model, tmp_path / "copy") / "model.safetensors"
        weights = load_file(file)
        del weights["model.norm.weight"]
        save_file(weights, file, metadata={"format": "pt"})
        words, said = command(file.parent, examples, tmp_path / "out"), "1 weights are not in its files"
    else:
        words, said = [*words, "--context-tokens", "50"], "examples fit"
    error = CliRunner().invoke(app, words).exception
    assert isinstance(error, UsageError) and said in str(error), error
    # a mended command can name the same folder
    assert (tmp_path / "out").exists() == (fault == "too long")


@pytest.mark.parametrize(
    "line",
    ['{"prompt": "a", "completion": "b"}', '{"prompt": [{"role": "user", "content": 1}], "completion": []}', "3"],
)
def test_examples_that_are_no_chats_are_one_line(line: str, tmp_path: Path) -> None:
    """They went as far as the tokenizer, or were trained on as empty texts."""
    (tmp_path / "own.jsonl").write_text(f"{line}\n" * 2)
    with pytest.raises(UsageError, match="line 1: no `prompt` and `completion` as lists of messages"):
        module.read_examples(tmp_path / "own.jsonl")
    (tmp_path / "own.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="cannot be read \\(no text\\)"):
        module.read_examples(tmp_path / "own.jsonl")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["grpo", "--temperature", "0"], "--temperature 0.0: replies of one group have to differ"),
        (["grpo", "--steps", "0"], "--steps 0: at least 1"),
        (["generate", "--temperature", "-1"], "--temperature -1"),
    ],
)
def test_numbers_that_train_nothing_are_refused(
    words: list[str], said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """GRPO without steps never ended; a negative temperature was greedy."""
    monkeypatch.setattr("mlbench.training.models.refuse_without_extra", lambda: None)
    verb, *more = words
    asked = ["train", verb, "pocket", "--model", "x", "-o", str(tmp_path / "out"), *more]
    error = CliRunner().invoke(app, asked).exception
    assert isinstance(error, UsageError) and said in str(error), error


@trained
def test_grpo_checks_rows_and_model_before_it_makes_a_folder(model: Path, tmp_path: Path) -> None:
    """A failed start left an empty folder, which the next one refused. With few rows, nothing was trained."""
    words = ["train", "grpo", "pocket", "--model", str(model), "-o", str(tmp_path / "out")]
    few = CliRunner().invoke(app, [*words, "--limit", "2"]).exception
    assert isinstance(few, UsageError) and "2 rows, and one update takes 16: raise --limit or lower" in str(few)
    error = CliRunner().invoke(app, [*words, "--limit", "16"]).exception
    assert isinstance(error, UsageError) and "--context-tokens 8192" in str(error) and "made for 2048" in str(error)
    assert not (tmp_path / "out").exists()


def test_the_hub_that_cannot_be_reached_is_one_line() -> None:
    with pytest.raises(UsageError) as caught, load_errors("org/model"):
        raise OSError("We couldn't connect to 'https://huggingface.co' to load the files, and couldn't find them")
    assert str(caught.value) == "org/model: no such folder, and the Hub cannot be reached; name a folder"
