"""A block of shell as commands: what they carry, where they run, and which are nobody's task."""

from __future__ import annotations

import pytest

from mlbench.suite_builder.mining.commands import commands, words_of


def test_a_block_is_its_commands() -> None:
    code = (
        "export DATA=./data\nNAME=x\nUNUSED=1\n# Train first\ncd tools && python train.py --data $DATA/$NAME  # now\n"
        "python eval.py \\\n  --lr 1 &\n"
    )
    aside, train, test = commands(code)
    assert aside.reason == "housekeeping"
    assert train.code == "python train.py --data ./data/x"
    assert (train.folder, train.said, train.rows) == ("tools", "Train first", (4, 4))
    assert (test.code, test.rows, test.said) == ("python eval.py \\\n  --lr 1", (5, 6), "")


def test_a_command_has_the_plain_values_that_it_reads() -> None:
    (command,) = commands("ROOT=/data\nOTHER=1\nSQUAD=$ROOT/squad\npython run.py --train $SQUAD\n")
    assert command.code == "python run.py --train /data/squad"
    assert command.reads == ("ROOT=/data", "SQUAD=$ROOT/squad")
    (command,) = commands('FLAGS="--a 1 --b x,y"\nFLAGS="$FLAGS --c 2"\npython run.py ${FLAGS} --d "$FLAGS"\n')
    assert command.code == 'python run.py --a 1 --b x,y --c 2 --d "--a 1 --b x,y --c 2"'


def test_an_assignment_that_the_shell_computes_stays() -> None:
    (command,) = commands("OTHER=1\nROOT=~/data\nSQUAD=$ROOT/squad\npython run.py --train $SQUAD\n")
    assert command.code == "ROOT=~/data\nSQUAD=$ROOT/squad\npython run.py --train $SQUAD"


def test_a_measurement_of_the_time_is_no_part_of_a_command() -> None:
    (command,) = commands("time python run.py --x 1")
    assert command.code == "python run.py --x 1"


def test_a_subshell_ends_with_its_folder() -> None:
    aside, inner, outer = commands("(cd scripts && python a.py --x 1)\npython b.py --y 2")
    assert (aside.reason, inner.folder, outer.folder) == ("housekeeping", "scripts", "")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("pip install -r requirements.txt", "installs"),
        ("python -m pip install .", "installs"),
        ("python setup.py develop", "installs"),
        ("bash tools/install.sh", "installs"),
        ("sudo apt-get install x", "housekeeping"),
        ("git clone https://example.org/x.git", "downloads"),
        ("wget https://example.org/x.zip", "downloads"),
        ("mkdir -p data", "housekeeping"),
        ("docker run -it x", "container"),
        ("tensorboard --logdir runs", "serves"),
        ("python -m http.server", "serves"),
        ("pytest tests", "tests"),
        ("python -m unittest", "tests"),
        ("sbatch job.sh", "cluster"),
        ("for a in *.jpg; do python train.py --a $a; done", "control-flow"),
        ("if true; then python train.py; fi", "control-flow"),
        ("python train.py --help", "help"),
        ("python -m lib.train -h", "help"),
        ("curl -s http://x/a.png | mytool i > out.png", ""),
        ("curl -s http://x/a.sh | bash", "downloads"),
        ("cat a.py | python3 -", "housekeeping"),
        ("├── train.py", "no-command"),
        ("python train.py --gpus 1 -- num_workers 16 --lr 3", "no-command"),
        ("python train.py --lr 0.1", ""),
        ("CUDA_VISIBLE_DEVICES=0 nohup python train.py --lr 0.1", ""),
        ("sudo python train.py --lr 0.1", ""),
        ("torchrun --nproc_per_node 2 train.py --lr 0.1", ""),
        ("bash scripts/train.sh", ""),
        ("mytool --lr 0.1", ""),
        ("python train.py | tee log.txt", ""),
        ("python test_net.py --lr 1", ""),
    ],
)
def test_what_is_nobodys_task_is_set_aside(code: str, reason: str) -> None:
    (command,) = commands(code)
    assert command.reason == reason
    assert bool(command.why) == bool(reason)


@pytest.mark.parametrize(
    "code",
    [
        "python a.py --x 1 | tee log.txt",
        "python a.py --x 1 > log.txt 2>&1",
        "python a.py --x 1 2>&1 | tee -a log.txt | tail",
        "python a.py --x 1 >> log.txt &",
    ],
)
def test_what_keeps_the_printed_output_is_no_part_of_a_command(code: str) -> None:
    """`| tee /tmp/samples` stood in a reference, and no instruction asked for it."""
    assert [each.code for each in commands(code)] == ["python a.py --x 1"]


@pytest.mark.parametrize(
    ("words", "first"), [("13 21", "13"), ("{1..5}", "1"), ("$(seq 0 4)", "0"), ("`seq 5`", "1"), ('"a" b', "a")]
)
def test_a_loop_over_plain_words_has_the_commands_of_its_first_round(words: str, first: str) -> None:
    """LM-BFF shows five of its experiments as loops over seeds."""
    loop = f"for s in {words}; do\n  for b in 2 4; do\n    B=$b python a.py --s $s\n  done\ndone\npython b.py --s $s"
    inner, after = commands(loop)
    assert (inner.code, inner.rows, inner.reason) == (f"B=2 python a.py --s {first}", (0, 4), "")
    assert after.code == "python b.py --s $s"


def test_what_feeds_a_command_is_a_part_of_it() -> None:
    (fed,) = commands("cat a.txt | python a.py --x 1 | tee b.txt")
    assert fed.code == "cat a.txt | python a.py --x 1"
    (read,) = commands("python a.py < in.txt > out.txt")
    assert read.code == "python a.py < in.txt > out.txt"


def test_output_between_commands_is_left_out() -> None:
    found = commands("python train.py --lr 1\nEpoch (1: loss=<0.3\npython eval.py \\\n  --k 2\n")
    assert [(each.code, each.rows) for each in found if not each.reason] == [
        ("python train.py --lr 1", (0, 0)),
        ("python eval.py \\\n  --k 2", (2, 3)),
    ]


def test_words_are_without_quotes_assignments_and_redirections() -> None:
    assert words_of("A=1 python 'a b.py' --x \\\n \"c\" > log.txt") == ("python", "a b.py", "--x", "c")
    assert words_of("cat a > b | A=1 mytool --x | tee log.txt") == ("mytool", "--x")
    assert words_of("python 'a") == ("python", "'a")


def test_a_version_with_a_value_is_a_setting() -> None:
    """`--version sv3d_u` chooses a model; it was taken for a call for the version."""
    found = commands("python run.py --version sv3d_u\npython run.py --version\npython run.py --help")
    assert [each.reason for each in found] == ["", "help", "help"]


LISTED = """python train.py

## main parameters
--exp_name a_b            # experiment name
--note 'run #3' --lgs 'en-fr'  # languages

## optimisation
--lr 0.1                  # rate

python other.py --x 1
"""


def test_options_below_a_command_belong_to_it() -> None:
    """Pages leave the backslashes out, and explain the options between them."""
    first, second = commands(LISTED)
    words = ["--exp_name", "a_b", "--note", "run #3", "--lgs", "en-fr", "--lr", "0.1"]
    assert list(first.words) == ["python", "train.py", *words]
    assert (first.rows, second.rows) == ((0, 7), (9, 9))
    assert first.code.startswith("python train.py \\\n--exp_name a_b \\\n--note 'run #3'")
    kept, _, _ = commands("python a.py \\\n  --x 1\nls -l\n-x\n")
    assert kept.code == "python a.py \\\n  --x 1"
    assert [each.words for each in commands("--x 1\npython a.py")] == [("--x", "1"), ("python", "a.py")]
