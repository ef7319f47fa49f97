"""What command lines start: launchers in front of Python and of programs."""

from __future__ import annotations

import shlex

import pytest

from mlbench.shell.launchers import Refusal, target


def shown(line: str, fed: str = "") -> str:
    """What a command line starts, as one line."""
    found = target(tuple(shlex.split(line)), fed=fed)
    if isinstance(found, Refusal):
        return f"!{found.reason}"
    env = "".join(f"{name}={value} " for name, value in found.env.items())
    options = f" [{' '.join(found.options)}]" if found.options else ""
    folder = f" @{found.cwd}" if found.cwd else ""
    return f"{env}{found.run} {found.name} {' '.join((*found.injected, *found.argv))}".rstrip() + options + folder


LINES = {
    "python train.py --lr 1": "file train.py --lr 1",
    "python3 train.py": "file train.py",
    "python3.9 -u train.py": "file train.py [-u]",
    "/opt/conda/bin/python train.py -u": "file train.py -u",
    "python -W ignore -m pkg.mod --x": "module pkg.mod --x [-W ignore]",
    "python -um pkg.mod": "module pkg.mod [-u]",
    "python -Om pkg": "module pkg [-O]",
    "python -mpkg.mod -c": "module pkg.mod -c",
    "python -Wignore -X dev a.py": "file a.py [-W ignore -X dev]",
    "python -c 'import a' b": "code import a b",
    "python -": "code fed",
    "python": "code fed",
    "python -z a.py": "!usage",
    "python --verbose a.py": "!usage",
    "python -m": "!usage",
    "python -V": "!help",
    "python --help": "!help",
    "ipython a.py -- --x": "file a.py --x",
    "nohup nice -n 5 stdbuf -oL python -u a.py": "file a.py [-u]",
    "nice -10 python a.py": "file a.py",
    "timeout -s KILL 10 python a.py": "file a.py",
    "timeout --signal=KILL 10s python a.py": "file a.py",
    "timeout --what 10 python a.py": "!cannot-follow",
    "time -p python a.py": "file a.py",
    "env -u B A=1 python a.py": "A=1 file a.py",
    "env -i python a.py": "file a.py",
    "env -C sub python a.py": "file a.py @sub",
    "env -S 'python a.py'": "!cannot-follow",
    "env": "program env",
    "sudo -E -u me A=1 python a.py": "A=1 file a.py",
    "xvfb-run -a -s '-screen 0' python a.py": "file a.py",
    "taskset -c 0-3 python a.py": "file a.py",
    "numactl --cpunodebind=0 --membind=0 python a.py": "file a.py",
    "conda run -n env --no-capture-output python a.py": "file a.py",
    "conda run --cwd sub python a.py": "file a.py @sub",
    "mamba run -p /x python -m pkg": "module pkg",
    "conda activate env": "program conda activate env",
    "conda run": "!usage",
    "poetry run python -m pkg": "module pkg",
    "poetry -C sub run train --x": "program train --x @sub",
    "pipenv run python a.py": "file a.py",
    "uv run --with numpy a.py --x": "file a.py --x",
    "uv run -- python a.py": "file a.py",
    "uv pip install x": "program uv pip install x",
    "streamlit run app.py -- --x 1": "file app.py --x 1",
    "coverage run --branch -m pkg --x": "module pkg --x",
    "coverage run a.py --x": "file a.py --x",
    "srun -p gpu --gres=gpu:1 -N 2 python -u a.py": "file a.py [-u]",
    "srun --ntasks 2 --what python a.py": "!cannot-follow",
    "mpirun -np 2 -x A=1 -mca btl tcp --allow-run-as-root python a.py": "A=1 file a.py",
    "mpiexec -n 2 python -m pkg": "module pkg",
    "horovodrun -np 4 -H localhost:4 python a.py": "file a.py",
    "torchrun --nproc_per_node=2 --master-port 123 a.py --lr 1": "file a.py --lr 1",
    "torchrun --standalone --nnodes 1 -m pkg.mod --x": "module pkg.mod --x",
    "torchrun --nproc 2 a.py": "file a.py",
    "torchrun --n 2 a.py": "!unknown-argument",
    "torchrun --gpus 2 a.py": "!unknown-argument",
    "torchrun --node_rank x a.py": "!invalid-type",
    "torchrun --standalone=1 a.py": "!usage",
    "torchrun --nnodes": "!missing-argument",
    "torchrun --nproc_per_node 2": "!missing-argument",
    "torchrun --no_python --nproc_per_node 2 env A=1 python a.py": "A=1 file a.py",
    "torchrun -h": "!help",
    "python -m torch.distributed.run --nproc_per_node=2 a.py": "file a.py",
    "python -m torch.distributed.launch --nproc_per_node=2 a.py --x": "file a.py --local_rank=0 --x",
    "python -m torch.distributed.launch --use_env a.py --x": "file a.py --x",
    "python -u -m torch.distributed.launch --use-env a.py": "file a.py [-u]",
    "accelerate launch --num_processes 2 --mixed_precision fp16 a.py --x": "file a.py --x",
    "accelerate launch --multi_gpu -m pkg.mod": "module pkg.mod",
    "accelerate launch --what a.py": "!unknown-argument",
    "accelerate config": "program accelerate config",
    "deepspeed --num_gpus=2 --master_port 1 a.py --x": "file a.py --local_rank=0 --x",
    "deepspeed --no_local_rank --module pkg.mod": "module pkg.mod",
    "deepspeed --include localhost:0,1 a.py --deepspeed c.json": "file a.py --local_rank=0 --deepspeed c.json",
    "python -m cProfile -o out a.py --x": "file a.py --x",
    "python -m cProfile -m pkg": "module pkg",
    "python -m pip install x": "module pip install x",
    "train-it --x": "program train-it --x",
    "./a.py 1": "program ./a.py 1",
    "nohup": "!usage",
    "nohup --help": "!help",
}


@pytest.mark.parametrize("line", LINES)
def test_what_a_command_line_starts(line: str) -> None:
    assert shown(line, "fed") == LINES[line]


def test_launchers_are_named_from_the_outside() -> None:
    found = target(("nohup", "/usr/bin/env", "A=1", "torchrun", "a.py"))
    assert not isinstance(found, Refusal)
    assert found.launchers == ("nohup", "env", "torchrun")


def test_launchers_without_end() -> None:
    assert target(("nohup",) * 1000 + ("python",)) == Refusal("usage", target(("nohup",) * 1000).message)  # type: ignore[union-attr]
