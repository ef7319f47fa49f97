"""Ties and the comparison with the reference, over invocations made by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mlbench.judging.bind import ArgumentBinding, bind, doubtful
from mlbench.judging.call_sites import call_sites
from mlbench.judging.compare_config import Expectation
from mlbench.judging.comparison import Comparison, MatchState
from mlbench.records import CheckStatus, Invocation, RepositoryCall


def ran(program: str = "train.py", cwd: str = ".", given: tuple[str, ...] | None = None, **values: Any) -> Invocation:
    configuration = {"epochs": 10, "lr": 0.1, "seed": 0, "mirror": False, **values}
    options = {name: (f"--{name}",) for name in configuration}
    return Invocation(
        CheckStatus.ACCEPTED,
        program=program,
        cwd=cwd,
        configuration=configuration,
        given=tuple(values) if given is None else given,
        options=options,
    )


def called(function: str, **arguments: Any) -> Invocation:
    return Invocation(CheckStatus.ACCEPTED, how="code", calls=(RepositoryCall(function, arguments, tuple(arguments)),))


def standard(required: dict[str, str], *reference: Invocation, **more: Any) -> Expectation:
    done = call_sites(reference)
    return Expectation(tuple(done), tuple(bind(required, done, {})), **more)


def states(comparison: Comparison) -> dict[str, MatchState]:
    return {match.argument: match.state for match in comparison.matches}


def test_the_reference_is_right_by_itself() -> None:
    right = standard({"learning rate": "1e-2", "epochs": "5"}, ran(lr=0.01, epochs=5))
    comparison = right.compare([ran(lr=0.01, epochs=5)])
    assert comparison.right
    assert comparison.share == 1.0
    assert comparison.extras == ()


def test_a_wrong_value_is_named_with_what_was_expected() -> None:
    comparison = standard({"lr": "0.1", "epochs": "5"}, ran(lr=0.1, epochs=5)).compare([ran(lr=0.15, epochs=5)])
    assert not comparison.right
    assert comparison.reason == "wrong-value"
    assert comparison.evidence() == "lr: lr is 0.15, expected 0.1"
    assert comparison.share == 0.5


def test_the_right_value_in_the_wrong_place_is_wrong() -> None:
    comparison = standard({"epochs": "16", "batch": "32"}, ran(epochs=16, batch=32)).compare([ran(epochs=32, batch=16)])
    assert states(comparison) == {"epochs": MatchState.WRONG, "batch": MatchState.WRONG}


def test_equal_values_are_told_apart_by_the_names() -> None:
    right = standard({"epochs": "16", "batch size": "16"}, ran(epochs=16, batch_size=16, seed=16))
    assert [tie.destinations for tie in right.bindings] == [((0, "epochs"),), ((0, "batch_size"),)]
    assert right.compare([ran(epochs=16, batch_size=16, seed=16)]).right
    assert right.compare([ran(epochs=16, batch_size=16, seed=1)]).reason == "unasked-change"


def test_a_default_that_is_the_wanted_value_need_not_be_given() -> None:
    comparison = standard({"epochs": "10"}, ran(epochs=10)).compare([ran(lr=0.1)])
    assert comparison.right
    assert comparison.extras == ("lr = 0.1",)


def test_every_setting_counts_but_for_those_that_are_free() -> None:
    right = standard({"epochs": "5"}, ran(epochs=5, num_workers=0, label="a"), free=frozenset({"label"}))
    assert right.compare([ran(epochs=5, num_workers=4, label="b")]).right
    comparison = right.compare([ran(epochs=5, num_workers=0, label="a", lr=0.5)])
    assert (comparison.reason, comparison.unasked) == ("unasked-change", ("lr = 0.5, not 0.1",))


def test_what_the_documentation_gives_an_option_is_nobodys_invention() -> None:
    right = standard({"epochs": "5"}, ran(epochs=5), shown="Run `train.py --lr 0.5 --seed 3`.")
    assert right.compare([ran(epochs=5, lr=0.5)]).right
    assert right.compare([ran(epochs=5, lr=0.3)]).reason == "unasked-change"
    assert right.compare([ran(epochs=5, mirror=True)]).reason == "unasked-change"


def test_where_outcomes_are_compared_they_decide_about_paths() -> None:
    right = standard({"lr": "0.3"}, ran(lr=0.3, data="data/x.txt"))
    assert right.compare([ran(lr=0.3, data="/tmp/copy.txt")], by_outcome=True).right
    assert right.compare([ran(lr=0.2, data="data/x.txt")], by_outcome=True).reason == "wrong-value"
    tied = standard({"lr": "0.3", "data": "data/x.txt"}, ran(lr=0.3, data="data/x.txt"))
    assert tied.compare([ran(lr=0.3, data="/tmp/copy.txt")]).reason == "wrong-value"
    assert tied.compare([ran(lr=0.3, data="/tmp/copy.txt")], by_outcome=True).right


def test_where_outcomes_are_compared_they_decide_about_indices_from_the_other_end() -> None:
    right = standard({"layer": "-1"}, ran(layer=-1, lr=0.3))
    assert right.compare([ran(layer=2, lr=0.3)], by_outcome=True).right
    assert right.compare([ran(layer=2, lr=0.3)]).reason == "wrong-value"
    assert right.compare([ran(layer=-2, lr=0.3)], by_outcome=True).reason == "wrong-value"
    assert right.compare([ran(layer=2, lr=-0.3)], by_outcome=True).reason == "unasked-change"


def test_of_a_claim_only_the_values_of_examples_are_replayed() -> None:
    """An offer in prose is nobody's invention, but what comes of it is not what was asked for."""
    text = "For gaps, `--lr 0.7`.\n```\npython train.py --seed 3\npython other.py --lr 0.9\n```\n"
    files = frozenset({"train.py", "other.py"})
    right = standard({"epochs": "5"}, ran(epochs=5), shown=text, files=files)
    claims = replace(right, examples_only=True)
    assert right.compare([ran(epochs=5, lr=0.7)]).right and not claims.compare([ran(epochs=5, lr=0.7)]).right
    assert not claims.compare([ran(epochs=5, lr=0.9)]).right
    assert claims.compare([ran(epochs=5, seed=3)]).right


def test_what_the_file_says_may_be_said_again() -> None:
    of_file = {"cfg:data.name": "tiles", "cfg:load": True}
    right = standard({"lr": "0.3"}, ran(lr=0.3, **of_file))
    assert right.compare([ran(lr=0.3, **of_file, **{"options.data.name": "tiles", "options.load": "true"})]).right
    other = right.compare([ran(lr=0.3, **of_file, **{"options.data.name": "beads"})])
    assert other.reason == "unasked-change"


def test_a_call_of_an_object_counts_by_whichever_method() -> None:
    array = {"!": "array", "value": [12, 3]}
    reference = tuple(call_sites([called("model.base.Layer.__call__", inputs=[array])]))
    right = Expectation(reference, (ArgumentBinding("batch", "12", ((0, "input 1"),)),))
    assert right.compare([called("model.mlp.Gated.forward", x={**array, "made": ["rand", 12, 3]})]).right
    assert not right.compare([called("model.mlp.Gated.forward", x={"!": "array", "value": [6, 3]})]).right


def test_the_order_of_a_set_means_nothing() -> None:
    right = standard({"what": "a b"}, ran(what=["a", "b"]), sets=frozenset({"what"}))
    assert right.compare([ran(what=["b", "a"])]).right
    assert not right.compare([ran(what=["a", "a"])]).right


def test_another_program_of_the_repository_beside_the_right_one_is_stray() -> None:
    right = standard({"lr": "0.3"}, ran(lr=0.3))
    comparison = right.compare([ran("other.py"), ran(lr=0.3)])
    assert (comparison.reason, comparison.extra_calls) == ("stray", ("other.py",))


def test_another_program_is_missing_the_right_one() -> None:
    comparison = standard({"lr": "0.1"}, ran(lr=0.1)).compare([ran("other.py", lr=0.1)])
    assert comparison.reason == "wrong-program"
    assert states(comparison) == {"lr": MatchState.ABSENT}


def test_a_program_that_the_recipe_calls_equivalent_will_do() -> None:
    right = standard({"lr": "0.1"}, ran(lr=0.1), equivalent={"other.py": "train.py"})
    assert right.compare([ran("other.py", lr=0.1)]).right


def test_all_combinations_are_not_the_right_one() -> None:
    shotgun = [ran(lr=0.01), ran(lr=0.1), ran(lr=1.0)]
    comparison = standard({"lr": "0.1"}, ran(lr=0.1)).compare(shotgun)
    assert comparison.reason == "stray"


def test_a_harmful_setting_is_not_free() -> None:
    right = standard({"lr": "0.1"}, ran(lr=0.1, show=False), harmful=frozenset({"show"}))
    assert right.compare([ran(lr=0.1, show=True)]).reason == "harmful-argument"
    assert right.compare([ran(lr=0.1, show=False)]).right


def test_a_file_that_is_not_there_from_that_folder() -> None:
    files = frozenset({"data", "data/x.txt", "jobs"})
    right = standard({"lr": "0.1"}, ran(lr=0.1, data="data/x.txt"), files=files)
    assert right.compare([ran(lr=0.1, data="data/x.txt")]).right
    assert right.compare([ran(lr=0.1, cwd="jobs", data="../data/x.txt")]).right
    assert right.compare([ran(lr=0.1, cwd="jobs", data="data/x.txt")]).reason == "no-such-file"


def test_a_switch_that_is_to_be_absent_is_tied_by_a_variant() -> None:
    reference = call_sites([ran(lr=0.1)])
    variant = call_sites([ran(lr=0.1, mirror=True)])
    tied = bind({"lr": "0.1", "mirror": ""}, reference, {"mirror": variant})
    right = Expectation(tuple(reference), tuple(tied))
    assert right.compare([ran(lr=0.1)]).right
    assert right.compare([ran(lr=0.1, mirror=True)]).reason == "wrong-value"


def test_a_value_that_stands_nowhere_is_unbound() -> None:
    comparison = standard({"lr": "0.1", "style": "concise"}, ran(lr=0.1)).compare([ran(lr=0.1)])
    assert comparison.right
    assert states(comparison)["style"] is MatchState.UNBOUND
    assert comparison.share == 1.0


def test_an_argument_may_be_called_s_or_by_no_letter() -> None:
    reference = call_sites([ran(s=4, epochs=4)])
    assert bind({"s": "4"}, reference, {}) == [ArgumentBinding("s", "4", ((0, "s"),))]
    assert doubtful({"s": "4", "?": "4"}, reference) == ["?"]


def test_what_the_values_leave_open_is_doubtful() -> None:
    reference = call_sites([ran(epochs=7, lr=7.0, data="data/cora/cora.txt")])
    assert doubtful({"x": "7", "epochs": "7", "dataset": "cora", "gone": "31"}, reference) == ["x", "dataset", "gone"]


def test_code_is_compared_call_by_call() -> None:
    right = standard({"hops": "5"}, called("lichen.models.Net", hops=5, teleport=0.1))
    assert right.compare([called("lichen.models.Net", hops=5, teleport=0.1)]).right
    assert right.compare([called("lichen.models.Net", hops=5, teleport=0.2)]).reason == "unasked-change"
    assert right.compare([called("lichen.models.Net", hops="5", teleport=0.1)]).reason == "wrong-value"
    assert right.compare([called("lichen.models.Other", hops=5)]).reason == "wrong-program"


def test_a_value_in_the_programs_own_path() -> None:
    right = standard({"model": "ebgan", "lr": "0.1"}, ran("implementations/ebgan/ebgan.py", lr=0.1))
    assert right.compare([ran("implementations/ebgan/ebgan.py", lr=0.1)]).right
    assert not right.compare([ran("implementations/gan/gan.py", lr=0.1)]).right


def test_a_variable_is_a_place_only_where_there_is_no_other() -> None:
    """`DIR=bert; run --vocab=$DIR/vocab.txt`: who writes the path at once is as right."""
    by_variable = replace(ran(vocab="bert/vocab.txt"), env={"DIR": "bert"})
    right = standard({"folder": "bert"}, by_variable)
    assert right.bindings[0].destinations == ((0, "vocab"),)
    assert right.compare([ran(vocab="bert/vocab.txt")]).right
    assert not right.compare([replace(ran(vocab="other/vocab.txt"), env={"DIR": "bert"})]).right
    alone = standard({"devices": "0,1"}, replace(ran(), env={"CUDA_VISIBLE_DEVICES": "0,1"}))
    assert alone.bindings[0].destinations == ((0, "environment CUDA_VISIBLE_DEVICES"),)
    assert not alone.compare([ran()]).right


def test_what_the_reference_does_beside_is_not_stray() -> None:
    """It calls the same function for a second purpose, without a required value."""
    done = (ran(lr=0.3, epochs=5), ran(epochs=1))
    right = standard({"lr": "0.3"}, *done)
    assert right.bindings[0].destinations == ((0, "lr"),)
    assert right.compare(done).right
    assert right.compare([ran(lr=0.3), ran(lr=0.4, epochs=2)]).reason == "stray"


def with_inputs(invocation: Invocation, **inputs: str) -> Invocation:
    return replace(invocation, inputs={name.replace("_", "."): digest for name, digest in inputs.items()})


def test_an_identical_copy_is_the_same_input_and_a_changed_file_another() -> None:
    """`cp data.csv my.csv; train --data my.csv` failed as a wrong path."""
    reference = with_inputs(ran(data="data.csv"), data_csv="1")
    right = standard({"data": "data.csv"}, reference, files=frozenset({"data.csv"}))
    assert right.compare([with_inputs(ran(data="my.csv"), my_csv="1")]).right
    assert right.compare([ran(data="data.csv")]).right
    assert not right.compare([with_inputs(ran(data="my.csv"), my_csv="2")]).right
    assert not right.compare([with_inputs(ran(data="data.csv"), data_csv="2")]).right
    assert not right.compare([ran(data="my.csv")]).right


def test_a_folder_at_its_place_may_have_got_more_files_and_a_copy_may_not() -> None:
    reference = with_inputs(ran(root="runs/a"), **{"runs/a": "folder 1"})
    right = standard({}, reference, files=frozenset({"runs", "runs/a"}))
    assert right.compare([with_inputs(ran(root="runs/a"), **{"runs/a": "folder 2"})]).right
    assert right.compare([with_inputs(ran(root="/tmp/a"), **{"/tmp/a": "folder 1"})]).right
    assert not right.compare([with_inputs(ran(root="/tmp/a"), **{"/tmp/a": "folder 2"})]).right


def test_overrides_may_be_written_into_a_copy_of_the_file_of_settings() -> None:
    file = {"cfg": "a.yaml", "cfg:data.name": "x"}
    reference = ran(**file, options=["data.noise=0.3"])
    right = standard({"noise": "0.3", "setup": "a.yaml"}, reference, files=frozenset({"a.yaml"}))
    written = {"cfg": "my.yaml", "cfg:data.name": "x", "cfg:data.noise": 0.3}
    assert right.compare([ran(**written)]).right
    assert not right.compare([ran(**{**written, "cfg:data.noise": 0.03})]).right
    assert not right.compare([ran(**{**written, "cfg:data.name": "y"})]).right
    assert not right.compare([ran(**{**written, "cfg:data.more": 1})]).right


def test_an_output_that_is_named_after_a_value_may_stand_elsewhere() -> None:
    """`bash train.sh reels small` writes to reels-small.json; another OUT failed as a wrong size."""
    reference = call_sites([ran(order=3, out="runs/small.json")])
    variants = {"size": call_sites([ran(order=4, out="runs/medium.json")])}
    right = Expectation(
        tuple(reference), tuple(bind({"size": "s"}, reference, variants)), files=frozenset({"kept.json"})
    )
    assert right.compare([ran(order=3, out="mine.json")]).right
    assert not right.compare([ran(order=4, out="runs/small.json")]).right
    assert not right.compare([ran(order=3, out="kept.json")]).right
