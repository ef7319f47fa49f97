"""The published rows: from a Hub or from files, checked record by record, and a suite like any other afterwards."""

from __future__ import annotations

import ast
import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from mlbench.cli import app
from mlbench.records import RunError, UsageError
from mlbench.suites import hub_dataset, tabular_io
from mlbench.suites import suite as suites
from mlbench.suites.hub import download

BERT, DGL, T2T = (
    "https://github.com/google-research/bert",
    "https://github.com/DMLC/dgl",  # not spelled as the catalogue has it
    "https://github.com/tensorflow/tensor2tensor",
)
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def record(number: int, github: str = BERT, **changes: Any) -> dict[str, Any]:
    github_id = {BERT: 2, DGL: 1, T2T: 18}.get(github, 99)
    return {
        "github_id": github_id,
        "github": github,
        "repo_id": number,
        "id": number,
        "path": "./",
        "arguments": f"{{'lr': '{number}e-5', 'data': './glue'}}",
        "instruction": f"Fine-tune on ./glue with a learning rate of {number}e-5.",
        "oracle": "python run.py --lr 2e-5\n",
        "type": "Bash Script",
        "output": f"python run.py --lr {number}e-5 --data ./glue",
        "prefix_code": "",
        **changes,
    }


def tables_of(**changes: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    full = [record(n) for n in range(1, 9)] + [record(9, DGL, type="Python Code", output="import dgl")]
    train = [record(n) for n in range(20, 26)]
    return {"full": full, "quarter": full[:3], "id_train": train, "ood_train": [record(40, T2T)], **changes}


def write(folder: Path, splits: Mapping[str, list[dict[str, Any]]]) -> Path:
    folder.mkdir(exist_ok=True)
    for split, records in splits.items():
        (folder / f"{split}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
    return folder


def collected(folder: Path) -> hub_dataset.HubRows:
    return hub_dataset.collect(hub_dataset.local_files(folder))


def left(found: hub_dataset.HubRows) -> dict[tuple[str, str], int]:
    return {(each.split, each.reason): each.count for each in found.left_out}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    suites.forget()
    yield
    suites.forget()


def test_rows_from_a_folder_become_a_suite(tmp_path: Path) -> None:
    found = collected(write(tmp_path / "rows", tables_of()))
    assert not found.faults and not found.left_out
    assert "full: 9 rows, published are 260" in found.warnings
    hub_dataset.keep(found, "somewhere@abc")
    suite = suites.load_suite(hub_dataset.NAME)
    assert hub_dataset.NAME in suites.fetched() and suites.full_name(hub_dataset.NAME) == hub_dataset.NAME
    assert (suite.revision, suite.sizes["full"], suite.code_share) == (
        "somewhere@abc",
        9,
        pytest.approx(1 / 9, abs=1e-4),
    )
    assert {r.name: (r.github_id, r.role, r.catalogue) for r in suite.repositories} == {
        "dgl": (1, "id", True), "bert": (2, "id", True), "tensor2tensor": (18, "ood_train", True),
    }  # fmt: skip
    rows = suites.load_rows(hub_dataset.NAME)
    assert list(rows) == list(suites.SPLITS)
    assert rows["quarter"] == rows["full"][:3]
    assert suites.sample_of(hub_dataset.NAME, 24).arguments == "{'lr': '24e-5', 'data': './glue'}"
    assert suite.repository_of(1).name == "dgl"


def test_parquet_and_lines_are_the_same_rows_and_are_not_read_twice(tmp_path: Path) -> None:
    folder = write(tmp_path / "rows", tables_of())
    lines = collected(folder)
    for split, records in tables_of().items():
        (folder / "data").mkdir(exist_ok=True)
        parquet.write_table(pyarrow.Table.from_pylist(records), folder / "data" / f"{split}-00000-of-00001.parquet")
    both = collected(folder)
    assert (both.rows, both.left_out) == (lines.rows, ())


def test_without_pyarrow_lines_are_read_and_parquet_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "rows", tables_of())
    parquet.write_table(pyarrow.Table.from_pylist(tables_of()["full"]), folder / "full.parquet")
    monkeypatch.setattr(tabular_io, "_has_arrow", lambda: False)
    assert hub_dataset.local_files(folder)["full"] == [folder / "full.jsonl"]
    with pytest.raises(UsageError, match=r"pip install 'mlbench-harness\[parquet\]'"):
        hub_dataset.collect({"full": [folder / "full.parquet"]})


def test_one_file_with_a_column_split(tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    file.write_text("".join(json.dumps({**r, "split": s}) + "\n" for s, rs in tables_of().items() for r in rs))
    found = collected(file)
    assert {split: len(rows) for split, rows in found.rows.items()} == {
        "full": 9, "quarter": 3, "id_train": 6, "ood_train": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"arguments": "__import__('os').system('touch /tmp/pwned')"}, "`arguments` is not a dict literal"),
        ({"arguments": "(" * 100_000}, "`arguments` is not a dict literal"),
        ({"arguments": "['lr']"}, "`arguments` is a list, not a dict"),
        ({"arguments": ["lr"]}, "`arguments` is not a text"),
        ({"type": "Perl"}, "`type` is neither Bash Script nor Python Code"),
        ({"path": "/etc"}, "`path` does not start with ./"),
        ({"path": "./a/../../b"}, "`path` leads out of the repository"),
        (
            {"github": "https://github.com/no/such"},
            "`github` is no repository of the catalogue: https://github.com/no/",
        ),
        ({"github_id": 1}, "`github_id` of bert is 2 in other rows"),
        ({"id": "three"}, "`id` is not a whole number"),
        ({"id": True}, "`id` is not a whole number"),
        ({"id": 1}, "`id` is that of a row before it"),
        ({"output": None}, "`output` is not a text"),
        ({"output": "\ud800"}, "`output` holds half a character"),
    ],
)
def test_what_is_no_row_is_left_out_and_counted(tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    bad = record(5, **changes)
    full = [record(1), bad, record(2), {**bad, "repo_id": 77}]
    found = collected(write(tmp_path / "rows", tables_of(full=full, quarter=full[:1])))
    assert [row.id for row in found.rows["full"]] == [1, 2]
    (out,) = found.left_out
    assert out.reason.startswith(reason)
    assert (out.split, out.count, out.first) == ("full", 2, "full.jsonl, line 2")


def test_a_missing_column_is_one_line_and_the_rest_goes_on(tmp_path: Path) -> None:
    folder = write(tmp_path / "rows", tables_of())
    lacking = [{k: v for k, v in each.items() if k != "oracle"} for each in tables_of()["id_train"]]
    parquet.write_table(pyarrow.Table.from_pylist(lacking), folder / "id_train.parquet")
    found = collected(folder)
    (out,) = found.left_out
    assert (out.reason, out.count, out.first) == ("no column `oracle`", 6, "id_train.parquet, row 1")
    assert len(found.rows["full"]) == 9 and not found.rows["id_train"]


def test_a_damaged_parquet_file_is_said_and_the_rest_goes_on(tmp_path: Path) -> None:
    folder = write(tmp_path / "rows", tables_of())
    file = folder / "id_train.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(tables_of()["id_train"]), file)
    file.write_bytes(file.read_bytes()[:-100])
    found = collected(folder)
    (fault,) = found.faults
    assert fault.startswith("id_train.parquet: damaged, or not Parquet")
    assert len(found.rows["full"]) == 9


def test_a_cell_that_is_no_text_costs_one_row(tmp_path: Path) -> None:
    table = pyarrow.Table.from_pylist([record(n) for n in range(1, 6)])
    cells = pyarrow.array([b"\xff\xfe" if n == 2 else b"text" for n in range(5)])
    column = pyarrow.Array.from_buffers(pyarrow.string(), 5, cells.buffers())
    parquet.write_table(
        table.set_column(table.schema.get_field_index("oracle"), "oracle", column), tmp_path / "full.parquet"
    )
    found = collected(tmp_path)
    assert [row.id for row in found.rows["full"]] == [1, 2, 4, 5]
    assert [fault.partition(" (")[0] for fault in found.faults] == ["full.parquet, row 3: not UTF-8"]


def test_lines_that_are_no_records_are_said(tmp_path: Path) -> None:
    folder = write(tmp_path / "rows", tables_of())
    with (folder / "full.jsonl").open("ab") as file:
        file.write(b'{"half\n\xff\xfe\n[]\n' + b"[" * 100_000 + b"\n\n")
    found = collected(folder)
    assert [fault.partition(":")[0] for fault in found.faults] == [f"full.jsonl, line {n}" for n in (10, 11, 12, 13)]
    assert "not an object" in found.faults[2]
    assert len(found.rows["full"]) == 9


def test_quarter_is_held_by_its_content(tmp_path: Path) -> None:
    """Were the quarter set numbered on its own, its numbers would name other rows."""
    quarter = [record(3, id=1, repo_id=0), record(77)]
    found = collected(write(tmp_path / "rows", tables_of(quarter=quarter)))
    assert [row.id for row in found.rows["quarter"]] == [3]
    assert left(found) == {("quarter", "not a row of full"): 1}
    assert "quarter: numbers its rows otherwise than full; full's numbers stand" in found.warnings


def test_a_number_means_one_row(tmp_path: Path) -> None:
    """A verdict finds its row by the number alone."""
    found = collected(write(tmp_path / "rows", tables_of(id_train=[record(1), record(2), record(60)])))
    assert [row.id for row in found.rows["full"]] == list(range(1, 10))
    assert [row.id for row in found.rows["id_train"]] == [61, 62, 60]
    assert "id_train: 2 rows have numbers of other splits' rows and were numbered anew" in found.warnings


def test_empty_cells_of_the_preparation_and_numbers_with_a_point(tmp_path: Path) -> None:
    full = [record(1, prefix_code=None, id=1.0, path="."), record(2, extra="column")]
    found = collected(write(tmp_path / "rows", tables_of(full=full, quarter=[])))
    assert [(row.id, row.prefix_code) for row in found.rows["full"]] == [(1, ""), (2, "")]


def test_the_oddities_of_published_rows_cost_no_row() -> None:
    """Forty rows with recipes of ours, in the forms of the paper's tables 18 to 35."""
    file = Path(__file__).with_name("published_rows.jsonl")
    forms = {json.loads(line)["id"]: json.loads(line) for line in file.read_text().splitlines()}
    found = hub_dataset.collect({"full": [file]})
    assert not found.left_out and not found.faults and len(found.rows["full"]) == len(forms) == 40
    for row in found.rows["full"]:
        form = forms[row.id]
        assert "\r" not in row.output + row.instruction + row.oracle
        given = form["arguments"]
        wanted = given if isinstance(given, dict) else ast.literal_eval(given.replace("null", "None"))
        assert row.required() == {name: str(value) for name, value in wanted.items() if value is not None}
        assert row.oracle == (form["oracle"] or "").replace("\r", "")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda folder: folder / "nosuch", "no such file or folder"),
        (lambda folder: folder, "no file of a split"),
        (lambda folder: write(folder / "empty", {"full": []}), "no usable row: empty"),
        (lambda folder: write(folder / "bad", {"full": [record(1, type="x")]}), "no usable row: `type` is neither"),
    ],
)
def test_nothing_to_keep_is_said(tmp_path: Path, make: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        collected(make(tmp_path))


def test_another_fetch_takes_the_place_of_the_first(tmp_path: Path) -> None:
    hub_dataset.keep(collected(write(tmp_path / "one", tables_of())), "")
    first = suites.load_suite(hub_dataset.NAME)
    hub_dataset.keep(collected(write(tmp_path / "two", tables_of(ood_train=[]))), "")
    second = suites.load_suite(hub_dataset.NAME)
    assert (first.sizes["ood_train"], second.sizes["ood_train"]) == (1, 0)
    assert first.version != second.version and first.revision.startswith("rows with SHA-256 ")
    assert not suites.load_rows(hub_dataset.NAME)["ood_train"]
    assert [file.name for file in suites.fetched_folder(hub_dataset.NAME).parent.iterdir()] == [hub_dataset.NAME]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda text: text.replace('"Bash Script"', '"Perl"', 1), "line 1: `type` is neither"),
        (lambda text: text.replace('"full"', '"other"', 1), "line 1: `split` is none of full"),
        (lambda text: text[:-20], "not JSON"),
        (lambda text: text.partition("\n")[2], "8 rows in split full, suite.yaml says 9"),
        (lambda text: "[]\n" + text, "line 1: `split` is none of"),
    ],
)
def test_a_damaged_file_of_rows_is_said(tmp_path: Path, spoil: Any, said: str) -> None:
    folder = hub_dataset.keep(collected(write(tmp_path / "rows", tables_of())), "")
    file = folder / "rows.jsonl"
    file.write_text(spoil(file.read_text()))
    with pytest.raises(UsageError, match=said):
        suites.load_rows(hub_dataset.NAME)


class Hub:
    """The little of the Hub's HTTP that a dataset with a few files needs."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[str] = []
        files = {file.name: file.read_bytes() for file in folder.iterdir()}
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hub.asked.append(self.path)
                api, _, revision = self.path.partition("/revision/")
                name = self.path.rpartition("/")[2]
                if api.endswith("/api/datasets/super-dainiu/ml-bench") and revision in ("", "main", "v2", COMMIT):
                    siblings = [{"rfilename": name} for name in ["README.md", "../../full.jsonl", *files]]
                    about = {"id": "super-dainiu/ml-bench", "sha": COMMIT, "siblings": siblings}
                    self._answer(200, json.dumps(about).encode())
                elif f"/datasets/super-dainiu/ml-bench/resolve/{COMMIT}/" in self.path and name in files:
                    self._answer(200, files[name])
                else:
                    self._answer(404, b'{"error": "not found"}')

            do_HEAD = do_GET

            def _answer(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
                self.send_header("X-Repo-Commit", COMMIT)
                if status == 404:
                    self.send_header("X-Error-Code", "RevisionNotFound")
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(body)

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    pytest.importorskip("huggingface_hub")
    server = Hub(write(tmp_path / "remote", tables_of()))
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    yield server
    server.close()


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["suites", *arguments])


def test_rows_come_from_the_hub_at_an_exact_revision(hub: Hub) -> None:
    done = run("fetch", "ml-bench", "--revision", "v2")
    assert done.exit_code == 0, done.exception
    assert "full 9, quarter 3, id_train 6, ood_train 1" in done.stdout
    assert any(path.endswith("/revision/v2") for path in hub.asked)
    assert any(f"/resolve/{COMMIT}/full.jsonl" in path for path in hub.asked)
    assert suites.load_suite(hub_dataset.NAME).revision == f"super-dainiu/ml-bench@{COMMIT}"
    shown = run("show", hub_dataset.NAME)
    assert COMMIT in shown.stdout and "9 rows (8 scripts, 1 code)" in shown.stdout


def test_a_revision_that_the_hub_does_not_have(hub: Hub) -> None:
    with pytest.raises(RunError, match=r"cannot get super-dainiu/ml-bench at nosuch: .*404"):
        download(hub_dataset.COUNTS, "nosuch")


def test_a_hub_out_of_reach_is_one_line_that_offers_the_rebuilt_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    error = run("fetch", "ml-bench").exception
    assert isinstance(error, RunError)
    assert "cannot get super-dainiu/ml-bench" in str(error) and "`mlbench build ml-bench" in str(error)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("fetch", "pocket"), "suite pocket has no published rows"),
        (("fetch", "ml-bench", "--from", ".", "--revision", "v1"), "--revision is only for the Hub"),
        (("show", hub_dataset.NAME), "`mlbench suites fetch ml-bench` gets the published rows"),
    ],
)
def test_wrong_use_is_said(arguments: tuple[str, ...], said: str) -> None:
    error = run(*arguments).exception
    assert isinstance(error, UsageError) and said in str(error)


def test_what_was_left_out_is_told_and_a_file_that_cannot_be_read_ends_with_an_error(tmp_path: Path) -> None:
    folder = write(tmp_path / "rows", tables_of(full=[record(1), record(2, type="\x1b[31mPerl")], quarter=[]))
    (folder / "id_train.jsonl").write_text("no json\n")
    done = run("fetch", "ml-bench", "--from", str(folder))
    assert isinstance(done.exception, RunError) and "1 place could not be read" in str(done.exception)
    assert "mlbench: full: 1 left out: `type` is neither" in done.stderr
    assert "mlbench: id_train.jsonl, line 1: not JSON" in done.stderr
    assert "warning: full: 1 rows, published are 260" in done.stderr and "\x1b" not in done.stderr
    assert suites.load_rows(hub_dataset.NAME)["full"][0].id == 1
