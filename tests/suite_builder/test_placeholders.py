"""What stands for something to fill in gets a plausible value; what is meant as it stands is left alone."""

from __future__ import annotations

import pytest

from mlbench.suite_builder.mining.placeholders import GAP, filled, repaired, unset_filled


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("run --data <path to imagenet>", "run --data ./data/imagenet"),
        ('run --template "Question: {prompt} Answer: {answer}"',) * 2,
        ('run --text "{prompt}"', 'run --text "Hello world"'),
        ("CUDA_VISIBLE_DEVICES=0,...,N run", "CUDA_VISIBLE_DEVICES=0,1,2,3 run"),
        ("run --data /path/to/imagenet/val/", "run --data ./data/imagenet/val/"),
        ("run --data /path/to/IN-1K/val", "run --data ./data/IN-1K/val"),
        ("run --data=path/to/train.csv", "run --data=./data/train.csv"),
        ("run --resume /path/to/model.pth", "run --resume ./checkpoints/model.pth"),
        ("run --resume <checkpoint>", "run --resume ./checkpoints/model.pt"),
        ("run --model_name_or_path <path_or_name>", "run --model_name_or_path ./checkpoints/model"),
        ("run --lr <LR> --epochs <N>", "run --lr 0.001 --epochs 4"),
        ("run --data YOUR_DATA_DIR", "run --data ./data"),
        ("run --out [OUTPUT_DIR]", "run --out ./outputs"),
        ("run --parallel [num-concurrent-calls]", "run --parallel 4"),
        ("run --out {output_dir}", "run --out ./outputs"),
        ("run --model <resnet18|resnet50>", "run --model resnet18"),
        ("run --lr 1 ...", "run --lr 1"),
        ("run --lr 1 \\\n  ...", "run --lr 1"),
        ("run [OPTIONS] --lr 1 [--fast]", "run  --lr 1"),
        ("run --prompt '<your prompt>'", "run --prompt 'a photo of a cat'"),
        ("run --image <image>_rgba.png", "run --image ./data/image_rgba.png"),
        ("run --image <path-to-photo.jpg>", "run --image ./data/photo.jpg"),
        ("USR_DIR=...\nrun --dir $USR_DIR", "USR_DIR=./data/usr\nrun --dir $USR_DIR"),
        ("run --args", "run"),
        ("run ${JSON_LOGS} {JSON_LOGS}", "run ${JSON_LOGS} ./outputs/log.json"),  # the program wants a file
        ("run path/to/outputfile", "run ./outputs/result"),
        ("run -m <XML_MODEL_PATH>", "run -m ./models/model.xml"),  # the format that the page asks for
        ("run -m <onnx model>", "run -m ./models/model.onnx"),
        ("run -m <onnx model dir>", "run -m ./models/model"),
        ("run --device [cpu/gpu]", "run --device cpu"),
        ("run -c /path/to/checkpoint_files", "run -c ./checkpoints/model.pt"),
        ('run "a.mp3" ["b.mp3" ...]', 'run "a.mp3"'),
        ("run --root /your/folder --x ~/your_data", "run --root ./data --x ./data"),
        ("run --out s3://my-bucket/c4", "run --out s3://my-bucket/c4"),
        ("run --data_dir path_to_data", "run --data_dir ./data"),
        ("run --dump-root=${dump-root} a", "run --dump-root=./data/dump a"),
        ('run --hparams="parameters you may want to override" a', "run  a"),
        ('run --text "what you want"', "run"),
        ("run --data [PATH/TO/appa-real]", "run --data ./data/appa-real"),
        ("run --to [EXTENDED_64k_PATH]", "run --to ./data/extended_64k"),
        ("run --json OUTPUT_DIR/inference/a.json", "run --json ./outputs/inference/a.json"),
        ("run -s [SOURCE].txt -o [OUTPUT_FILE].txt", "run -s source.txt -o output_file.txt"),
        ("run --image <in>.jpg", "run --image ./data/image.jpg"),
        ('run --text "YOUR_DESIRED_TEXT"', 'run --text "Hello world"'),
        ("run --tok PATH/TO/MODEL/NEW/tok.model", "run --tok ./data/tok.model"),
        ("run --ckpt_dir PATH/TO/MODEL/CHECKPOINTS", "run --ckpt_dir ./checkpoints"),
        ("run --dir=/<path>/runs", "run --dir=/data/runs"),
        ("run -d conf your_config.yml", "run -d conf ./config.yml"),
        # as they stand
        ("run --in models/<small/large>/last", None),  # other parts of the command depend on the choice
        ("run --exp exps/path/to/exp.py", None),  # it became exps./data/exp.py
        ("run --data ${your_data}", None),
        ("run --data ./data/imagenet", None),
        ("run --shape [1,2,3] model=[a]", None),
        ("run {a,b} ${HOME} < in.txt > out.txt", None),
        ("cat <<EOF\nx\nEOF", None),
        ("run --range 1...3", None),
        ("run --dataset a --root 'x/{dataset}'", None),
        ("run --data a --root x/{dataset}", "run --data a --root x/dataset"),
        ("run --job_dir /your/job/dir/${N}/", "run --job_dir ./data/job/${N}/"),
        (
            "run --out_dir=<path to store enhanced files> --dir <path to the noisy files> --output <image>",
            "run --out_dir=./outputs --dir ./data --output ./data/image.png",
        ),
    ],
)
def test_each_gap_has_a_value(code: str, wanted: str | None) -> None:
    found = filled(code)
    assert found.code.strip() == (wanted or code)
    if wanted is None:
        assert not found.replaced


@pytest.mark.parametrize(
    ("code", "open_"),
    [
        ("run --in models/<small/large>/last", True),
        ("run --tasks task1 task2  taskn", True),
        ("run --tasks task1 task2", False),
        ("run ---logdir x", True),
        ("run --eval_dir==/tmp/x", True),
        ("run --a=b==c -- x", False),
        ("run --in task1 --out taskn", False),
        ("predict -i INPUT -o OUTPUT", True),
        ("predict --in INPUT_FILE", True),
        ("predict --config CONFIG_FILE", True),
        ("predict --weights /set/your/model/a.pth", True),
        ("predict --name YourModelName", True),
        ("predict -e [ckpt]", True),
        ("predict --model=[a] --name yourself", False),
        ("predict --in data/INPUT --mode NAMED", False),
    ],
)
def test_no_value_can_replace_a_choice_or_a_series(code: str, open_: bool) -> None:
    """`task1 task2 taskn` were asked for as the tasks of an evaluation."""
    assert (GAP.search(code) is not None) == open_


def test_a_variable_that_nothing_sets_has_a_value() -> None:
    found = unset_filled("OUT=./o\nrun --data_dir $DATA/x --out $OUT --lr ${LR} --home $HOME")
    assert found.code == "OUT=./o\nrun --data_dir ./data/x --out $OUT --lr 0.001 --home $HOME"
    assert dict(found.replaced) == {"$DATA": "./data", "${LR}": "0.001"}


@pytest.mark.parametrize(
    ("reason", "message", "wanted"),
    [
        ("invalid-choice", "argument --set: invalid choice: 'name' (choose from 'cora', 'pubmed')", "run --set cora"),
        ("invalid-choice", "argument --other: invalid choice: 'x' (choose from 'a', 'b')", None),
        ("invalid-type", "argument --set: invalid int value: 'name'", "run --set 4"),
        ("unknown-argument", "unrecognized arguments: --set name", None),
    ],
)
def test_a_refused_value_is_one_that_the_program_names(reason: str, message: str, wanted: str | None) -> None:
    assert repaired("run --set name", (("<name>", "name"),), reason, message) == wanted


def test_what_changes_by_itself_stands_still() -> None:
    """vision_transformer: `--workdir=/tmp/vit-$(date +%s)` was another folder at each check."""
    assert filled("run --workdir=/tmp/vit-$(date +%s) --config=$(pwd)/configs/vit.py").code == (
        "run --workdir=/tmp/vit-1 --config=configs/vit.py"
    )
    assert filled("run --out `date +%F` --in $PWD/x").code == "run --out 1 --in x"


def test_an_optional_part_leaves_no_line_of_its_own() -> None:
    """A reference had a line with nothing but its continuation."""
    assert filled("python a.py --x 1 \\\n  [--other-options] \\\n  --y 2").code == "python a.py --x 1 \\\n  --y 2"


def test_two_placeholders_are_two_files_and_a_name_is_no_place() -> None:
    code = filled("python c.py --input_model <input_model_path>.torch --output_model <converted_model_path>.torch").code
    assert code == "python c.py --input_model ./models/model.torch --output_model ./outputs/model.torch"
    assert filled("c --resume <model_path>.pt --teacher <teacher_model_path>.pt").code.split()[2::2] == [
        "./models/model.pt",
        "./models/teacher-model.pt",
    ]
    assert (
        filled("c --train <dataset> --val <dataset> --test <data dir>").code
        == "c --train ./data --val ./data --test ./data"
    )
    assert filled("c --output_name <my_converted_model>.torch").code == "c --output_name converted_model.torch"


def test_only_the_value_is_replaced() -> None:
    message = "argument --gan_type: invalid choice: 'type' (choose from 'GAN', 'BEGAN')"
    better = repaired("run --gan_type type --x a/type", (("<TYPE>", "type"),), "invalid-choice", message)
    assert better == "run --gan_type GAN --x a/GAN"
