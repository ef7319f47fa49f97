from tests.runtime.parsers.children import answers, events, reasons

PROGRAM = "hydra_program.py"


def test_the_composed_configuration() -> None:
    [answer] = answers("argparse hydra", PROGRAM, "lr=1e-3 model=large data=here +extra=2")
    assert answer["parser"] == "hydra"
    assert answer["configuration"] == {
        "model": "large",
        "model.width": 64,
        "lr": 0.001,
        "steps": 10,
        "data": "here",
        "extra": 2,
    }
    assert set(answer["given"]) == {"lr", "model", "data", "extra"}


def test_the_path_of_a_file_as_older_versions_took_it() -> None:
    [answer] = answers("argparse hydra", "hydra_older.py", "lr=1e-3 data=here")
    assert (answer["configuration"]["lr"], answer["configuration"]["data"]) == (0.001, "here")
    assert reasons("argparse hydra", "hydra_older.py", "rate=1") == ["unknown-argument"]


def test_refusals() -> None:
    wanted = {
        "rate=1": "unknown-argument",
        "model=huge": "invalid-choice",
        "optimizer=adam": "unknown-argument",
        "lr=[1": "usage",
        "--lr 3": "unknown-argument",
        "--help": "help",
        "--cfg job": "help",
        "steps=3": "accepted",
    }
    assert dict(zip(wanted, reasons("argparse hydra", PROGRAM, *wanted), strict=True)) == wanted


def test_a_mandatory_value_that_is_not_given_is_said() -> None:
    assert answers("hydra", PROGRAM, "")[0]["unchecked"] == ["data: mandatory, and not given"]


def test_ride_reports_and_goes_on(tmp_path) -> None:  # type: ignore[no-untyped-def]
    [accepted] = events("hydra", PROGRAM, f"hydra.run.dir={tmp_path}", mode="ride")
    assert [accepted[0]["status"], accepted[-1]] == ["accepted", "went on"]


def test_options_of_plugins_are_there_and_open() -> None:
    [answer] = answers("argparse hydra", PROGRAM, "data=x hydra/sweeper=optuna +hydra.sweeper.n_trials=3")
    assert answer["status"] == "accepted"
    assert answer["unchecked"] == ["hydra/sweeper=optuna: the settings of this plugin are not checked"]
    assert reasons("argparse hydra", PROGRAM, "data=x hydra/launcher=none") == ["invalid-choice"]


def test_a_multirun_keeps_all_values_of_a_setting() -> None:
    [answer] = answers("argparse hydra", PROGRAM, "-m data=x lr=0.1,0.2 model=large,small")
    assert {name: answer["configuration"][name] for name in answer["given"]} == {
        "data": "x",
        "lr": "0.1,0.2",
        "model": "large,small",
    }
