"""The same programs through the real server, in a real jail, with the kit shown at its place."""

import anyio

from mlbench.interface_check.check_server import CheckEnv, CheckServer
from tests.runtime.parsers.children import PROGRAMS

WANTED = {
    "absl_program.py --data x --lr 1e-3": ("accepted", {"data": "x", "lr": 0.001, "momentum": 0.9}),
    "absl_program.py --data x --foo": ("unknown-argument", {}),
    "tf_program.py --steps 3 --nope": ("accepted", {"steps": 3, "fast": True}),
    # TensorFlow before 1.13 did not load absl.logging, so `log_dir` was free; who imports `compat.v1` has a later one
    "tf_log_dir.py --log_dir here": ("accepted", {"log_dir": "here", "steps": 10}),
    "tf_log_dir_again.py --log_dir here": ("conflicting-options", {}),
    "click_group.py --debug train --lr 3": ("accepted", {"debug": True, "train.lr": 3.0}),
    "click_group.py nope": ("invalid-choice", {}),
    "typer_program.py me --model b": ("accepted", {"model": "b", "lr": 0.1}),
    "typer_program.py me --size x": ("invalid-type", {}),
    "fire_components.py trainer --lr 5 train --steps=4": ("accepted", {"Trainer.lr": 5, "steps": 4}),
    "docopt_program.py train d --lr=3": ("accepted", {"DATA": "d", "--lr": "3"}),
    "hf_program.py --name x --lr 1e-3": ("accepted", {"name": "x", "rate": 0.001}),
    "hf_program.py --layers 3": ("missing-argument", {}),
    "simple_parsing_program.py --name x": ("accepted", {"options.name": "x", "options.lr": 0.1}),
    "omegaconf_program.py optimizer.lr=2": ("accepted", {"optimizer.lr": 2.0, "steps": 10}),
    "leftovers_program.py model.rate=0.2": ("accepted", {"model.rate": 0.2, "base:steps": 3}),
    "jsonargparse_program.py tune m --train.lr 0.3": (
        "accepted",
        {"subcommand": "tune", "tune.model": "m", "tune.train.lr": 0.3, "tune.train.epochs": None, "tune.devices": 1},
    ),
    "jsonargparse_program.py sample": ("missing-argument", {}),
    "jsonargparse_program.py sample m --temperature 1": ("unknown-argument", {}),
    "jsonargparse_program.py sample m --seed x": ("invalid-type", {}),
    "jsonargparse_program.py tone m": ("invalid-choice", {}),
    "jsonargparse_program.py --help": ("help", {}),
    "yacs_program.py SOLVER.LR 0.2": ("accepted", {"SOLVER.LR": 0.2, "opts:SOLVER.LR": 0.2}),
    "hydra_program.py lr=2 model=large data=d": ("accepted", {"lr": 2, "model.width": 64, "model": "large"}),
    "hydra_program.py rate=1": ("unknown-argument", {}),
}


def test_every_library_through_the_server() -> None:
    async def ask() -> dict[str, tuple[str, dict[str, object]]]:
        found = {}
        server = await CheckServer.start(CheckEnv(PROGRAMS))
        try:
            for line, (_, configuration) in WANTED.items():
                program, *argv = line.split()
                request = {"do": "program", "run": "file", "target": program, "argv": argv, "cwd": "/workspace"}
                answer = await server.ask({**request, "env": {}, "cpu": 10.0, "wall": 30.0})
                values = {name: answer.get("configuration", {}).get(name) for name in configuration}
                found[line] = (answer.get("reason") or answer["status"], values)
        finally:
            await server.close()
        return found

    assert anyio.run(ask) == WANTED


def test_what_jsonargparse_was_given_is_known_from_its_defaults() -> None:
    """Of litgpt's 161 documented commands, nothing was decided."""

    async def ask() -> dict[str, object]:
        server = await CheckServer.start(CheckEnv(PROGRAMS))
        try:
            argv = ["tune", "m", "--train.lr=0.3"]
            request = {"do": "program", "run": "file", "target": "jsonargparse_program.py", "argv": argv}
            request |= {"cwd": "/workspace", "env": {}, "cpu": 10.0, "wall": 30.0, "describe": True}
            return await server.ask(request)
        finally:
            await server.close()

    answer = anyio.run(ask)
    assert set(answer["given"]) == {"subcommand", "tune.model", "tune.train.lr"}
    assert answer["options"]["tune.train.lr"] == ["--train.lr"]
    assert "subcommand" not in answer["options"]  # no positional that somebody must be told of
    assert (answer["schema"]["tune.devices"]["type"], answer["schema"]["tune.devices"]["default"]) == ("int", 1)
