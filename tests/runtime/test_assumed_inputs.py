"""An input that the command names and that no checkout holds is assumed to be there, and the answer says so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.runtime.asking import Ask, asking, write

CHECKED = """
import argparse, glob, os
from pathlib import Path
def folder(text):
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text} is not a valid directory")
    return text
def known(text):
    if not os.path.exists(text) and text != "default":
        raise argparse.ArgumentTypeError(f"unknown model {text}")
    return text
p = argparse.ArgumentParser()
p.add_argument("--text", type=argparse.FileType("r"))
p.add_argument("--folder", type=folder)
p.add_argument("--model", type=known)
p.add_argument("--size", type=int)
p.add_argument("--late")
p.add_argument("--found")
args = p.parse_args()
if args.late and not os.path.exists(args.late):
    p.error(f"--late: {args.late} does not exist")
if args.found and not glob.glob(args.found + "/*.pth"):
    print("Error: No checkpoints found to average.")
    exit(1)
if args.size == 8:
    print("a size of 8 is too small")
    exit(1)
if args.size == 7:
    raise ValueError(f"nothing found for size {args.size}")
"""
CLICKS = """
import click
@click.command()
@click.argument("source", type=click.Path(exists=True, dir_okay=False))
@click.option("--text", type=click.File("rb"))
@click.option("--out", type=click.File("wb", lazy=True))
def main(**named): pass
main()
"""
SEARCHES = """
import argparse, glob, os
p = argparse.ArgumentParser()
p.add_argument("--folder")
p.add_argument("--filter", default="*.pth")
p.add_argument("--size", type=int)
args = p.parse_args()
if args.size == 7:
    print("no such size")
    exit(1)
if not glob.glob(os.path.join(args.folder, args.filter)):
    print("nothing to average")
    exit(1)
"""
ASSERTS = """
import argparse, os
p = argparse.ArgumentParser()
p.add_argument("--data")
p.add_argument("--out")
p.add_argument("--size", type=int, default=1)
args = p.parse_args()
assert os.path.isdir(args.data), args.data
assert not (args.out and os.path.exists(args.out)), args.out
assert args.size < 8
"""
FILES = {
    "asserts.py": ASSERTS,
    "by_hand.py": "import os, sys\nsource, target = sys.argv[1], sys.argv[2]\n"
    "assert os.path.exists(source), 'no source'\n",
    "searches.py": SEARCHES,
    "checked.py": CHECKED,
    "clicks.py": CLICKS,
    "options/train.yml": "a: 1\n",
    "deep/data/photo.png": "",
}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with asking(write(tmp_path_factory.mktemp("inputs"), FILES)) as ask:
        yield ask


def assumed(name: str) -> list[str]:
    return [f"{name} is not in the repository: the check assumes an input that is there"]


@pytest.mark.parametrize(
    ("program", "words", "name"),
    [
        ("checked.py", "--text ./in/a.txt", "./in/a.txt"),
        ("checked.py", "--folder images", "images"),
        ("checked.py", "--folder /data/imagenet", "/data/imagenet"),
        ("checked.py", "--model weights/best.pt", "weights/best.pt"),
        ("checked.py", "--late ../data/x.csv", "../data/x.csv"),
        ("checked.py", "--found runs/seven", "runs/seven"),
        ("clicks.py", "in.png", "in.png"),
        ("searches.py", "--folder ./output/train", "./output/train"),
        ("searches.py", "--folder /data/all --filter a*/*.pth", "/data/all"),
    ],
)
def test_a_missing_input_is_assumed(ask: Ask, program: str, words: str, name: str) -> None:
    answer = ask(program, *words.split())
    assert (answer["status"], answer["unchecked"]) == ("accepted", assumed(name)), answer


def test_before_a_bare_exit_code_the_printed_line_says_why(ask: Ask) -> None:
    answer = ask("checked.py", "--size", "8")
    assert (answer["status"], answer["message"]) == ("rejected", "a size of 8 is too small")


def test_files_have_their_names(ask: Ask) -> None:
    configuration = ask("clicks.py", "in.png", "--text", "a.txt", "--out", "b.txt")["configuration"]
    assert configuration["text"] == {"!": "file", "value": "a.txt"}
    assert configuration["out"] == {"!": "file", "value": "b.txt"}


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("checked.py", "--model resnet"),
        ("checked.py", "--size 7"),
        ("checked.py", "--size photo.png"),
        ("checked.py", "--text options/trian.yml"),
        ("clicks.py", "data/photo.png"),
        ("searches.py", "--folder ./output/train --size 7"),  # it has looked for nothing
        ("searches.py", "--folder ./deep/data"),  # the repository has this folder
    ],
)
def test_what_is_no_missing_input_stays_refused(ask: Ask, program: str, words: str) -> None:
    assert ask(program, *words.split())["status"] == "rejected"


def test_an_asserted_input_of_a_program_without_a_parser(ask: Ask) -> None:
    answer = ask("by_hand.py", "models/a.ckpt", "models/b.ckpt")
    assert answer["configuration"] == {"source": "models/a.ckpt", "target": "models/b.ckpt"}


def test_an_asserted_input(ask: Ask) -> None:
    answer = ask("asserts.py", "--data", "data/en-fr")
    assert (answer["status"], answer["unchecked"]) == ("accepted", assumed("data/en-fr"))
    assert ask("asserts.py", "--data", "photo.png")["status"] == "rejected"  # it is in another folder
    deep = ("asserts.py", "--data", "deep")
    assert ask(*deep)["status"] == "accepted"
    assert ask(*deep, "--out", "options")["status"] == "rejected"
    assert ask(*deep, "--size", "9")["status"] == "rejected"
