"""Instructions that are composed from a recipe's wording: their forms, their numbers, and the check that reads them."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
from pydantic import ValidationError

from mlbench.records import SHELL_TYPE, Kind, Sample
from mlbench.repositories.oracle_spans import Oracle, OracleSpan
from mlbench.suites.leaks import leaks
from mlbench.suites.recipes import Recipe
from mlbench.suites.rows import RowTask
from mlbench.suites.wording.compose import compose, quoted
from mlbench.suites.wording.forms import FormShape, RecipeWording, parse_form
from mlbench.suites.wording.frames import FrameDecks, frame_lines
from mlbench.suites.wording.moves import Move, choose_moves
from mlbench.suites.wording.numbers import numbers_in, shares, spellings
from mlbench.suites.wording.readback import Readback
from tests.suites.rendered_rows import build_rows

SIZES = {"full": 4, "quarter": 1, "id_train": 20, "ood_train": 0}
ORACLE = Oracle((), OracleSpan("README.md", (1, 1), ""))
WORDING = {
    "goals": ["train the graph network on {dataset}", "fit the graph network to {dataset}"],
    "settings": {
        "rate": "learning rate | a learning rate of {} | to learn at a rate of {} | The learning rate is {}.",
        "epochs": "number of epochs | {} epochs | for {} epochs | to stop after {} epochs",
        "norm": "{} | to train {}",
        "_data": "the files in data/graphs | The files are in data/graphs.",
    },
    "context": ["Graphs are everywhere.", "Nodes like their neighbours."],
}
ARGUMENTS = {
    "dataset": {"Cora": "cora", "Citeseer": "citeseer"},
    "rate": ["0.001", "5e-3", "0.2"],
    "epochs": ["5", "10", "200", "5000"],
    "norm": {"with normalisation": "--norm", "without normalisation": ""},
}


def recipe(wording: dict[str, object] | None = WORDING, **changed: object) -> Recipe:
    slots = " ".join(f"{{{{ {name} }}}}" for name in ARGUMENTS)
    fields = {
        "repository": "lichen",
        "task": "train",
        "type": SHELL_TYPE,
        "path": ".",
        "segment": {"file": "README.md", "lines": (1, 2)},
        "program": "train.py",
        "arguments": ARGUMENTS,
        "instructions": tuple(f"{letter} {slots}." for letter in "ABCDE"),
        "reference": f"python train.py {slots}",
        "wording": wording,
    }
    return Recipe.model_validate({**fields, **changed})


def texts(count: int = 60) -> list[str]:
    said = {"dataset": "Cora", "rate": "5e-3", "epochs": "200", "norm": "without normalisation"}
    return [compose(RecipeWording.model_validate(WORDING), said, "shell", random.Random(i)) for i in range(count)]


COMBINATION = {"dataset": ("cora",), "rate": ("5e-3",), "epochs": ("200",), "norm": ()}


def reader() -> Readback:
    made = recipe()
    assert made.wording is not None
    return Readback(made.said, made.wording)


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("batch size", FormShape.NAME),
        ("{} epochs", FormShape.NOUN),
        ("at most {} epochs", FormShape.NOUN),
        ("in-out parameter q", FormShape.NAME),
        ("for {} epochs", FormShape.ADVERB),
        ("to stop after {} epochs", FormShape.CLAUSE),
        ("Training takes {} epochs.", FormShape.SENTENCE),
    ],
)
def test_the_shape_of_a_form_follows_from_its_ends(text: str, shape: FormShape) -> None:
    assert parse_form(text, is_fact=False).shape is shape


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"goals": ["train on {data}"]}, "no argument is called 'data'"),
        ({"settings": {}}, "a goal leaves out 'epochs', and no setting says it"),
        ({"settings": {**WORDING["settings"], "rate": "a rate"}}, None),  # type: ignore[dict-item]
        ({"settings": {**WORDING["settings"], "rate": "to learn fast"}}, "rate: 'learn fast' has 0 values"),  # type: ignore[dict-item]
        ({"settings": {**WORDING["settings"], "speed": "{} speed"}}, "no argument is called 'speed'"),  # type: ignore[dict-item]
    ],
)
def test_a_wording_must_fit_the_arguments(changed: dict[str, object], message: str | None) -> None:
    wording = {**WORDING, **changed}
    if message is None:
        assert recipe(wording).wording is not None
        return
    with pytest.raises(ValidationError, match=message):
        recipe(wording)


def test_the_same_seed_gives_the_same_text_and_others_differ() -> None:
    assert texts() == texts()
    assert len(set(texts())) == 60


def test_every_instruction_states_every_value_and_every_fact() -> None:
    for text in texts():
        assert "Cora" in text and "without normalisation" in text and "data/graphs" in text
        assert list(reader().faults(COMBINATION, text)) == []


def test_a_setting_that_is_said_by_nothing_is_left_out() -> None:
    said = {"dataset": "Cora", "rate": "0.2", "epochs": "5", "norm": ""}
    for seed in range(20):
        assert "normalisation" not in compose(recipe().wording or pytest.fail(), said, "shell", random.Random(seed))


def composed(goal: str, kind: Kind = "shell", count: int = 150, **said: str) -> list[str]:
    wording = RecipeWording.model_validate({**WORDING, "goals": [goal]})
    values = {"dataset": "Cora", "rate": "5e-3", "epochs": "200", "norm": "without normalisation", **said}
    return [compose(wording, values, kind, random.Random(i)) for i in range(count)]


def test_no_setting_stands_in_front_of_the_request_and_one_phrase_at_most_follows_the_goal() -> None:
    for text in composed("train the graph network on {dataset}"):
        assert not re.search(r"(?:^|[.?!:] )(?:With|Using|with|using) ", text), text
        assert len(re.findall(r", (?:with|using) ", text)) <= 1, text


@pytest.mark.parametrize(
    "goal", ["train on {dataset} and print the loss", "train, using two cards, the network on {dataset}"]
)
def test_a_goal_with_a_second_place_takes_no_phrase(goal: str) -> None:
    for text in composed(goal):
        assert not re.search(r"(?:loss|Cora),? (?:with|using|for|without) ", text), text


def test_in_a_list_no_value_seems_to_belong_to_the_setting_before_it() -> None:
    for text in composed("train the graph network on {dataset}", count=600):
        assert not re.search(r"of (?:5e-3|0\.005|5 × 10⁻³) and (?:200|5000) as the", text), text


@pytest.mark.parametrize("goal", ["write Python that trains on {dataset}", "show how to train on {dataset}"])
def test_who_is_asked_to_write_is_not_asked_for_code_to_write(goal: str) -> None:
    for text in composed(goal, "python"):
        assert not re.search(f"(?:code|script|lines|want|need|have|plan)[^.]* to {goal[:5]}", text), text


def test_a_goal_of_two_clauses_is_no_question_and_follows_no_colon() -> None:
    for text in composed("train on {dataset}; each graph is a sample"):
        assert "?" not in text and ":" not in text.partition(";")[0] and "please" not in text.partition(".")[0], text


def test_an_adverbial_does_not_follow_an_apposition() -> None:
    for text in composed("train GNN, the network for {dataset}"):
        assert "Cora for 200" not in text and "Cora without" not in text, text


def test_two_clauses_with_the_same_verb_are_not_joined() -> None:
    settings = {"rate": "to use a rate of {}", "epochs": "to use {} epochs", "norm": "to use {}"}
    wording = RecipeWording.model_validate({"goals": ["train on {dataset}"], "settings": settings})
    said = {"dataset": "Cora", "rate": "0.1", "epochs": "20", "norm": "SGD"}
    for seed in range(60):
        assert "and use" not in compose(wording, said, "shell", random.Random(seed))


def test_labels_with_commas_are_separated_by_semicolons() -> None:
    notes = [text for text in composed("train on {dataset}", rate="0.1, 0.2") if re.search("= 0|: 0|rate 0", text)]
    assert notes
    assert not any(re.search(r"0\.1, 0\.2, ", text) for text in notes), notes


def moves(context: Sequence[str] = (), register: str = "request", length: int = 0) -> list[list[str]]:
    """What stands around a task of some length, for many seeds."""
    chosen = (choose_moves(length, context, register, "shell", FrameDecks(random.Random(seed))) for seed in range(200))
    return [[*before, *after] for before, after in chosen]


def lines_of(move: Move) -> list[re.Pattern[str]]:
    lines = [*frame_lines("moves", move, "before"), *frame_lines("moves", move, "after")]
    return [re.compile(".+".join(map(re.escape, re.split(r"\{\w+\}", line)))) for line in lines]


def test_no_two_sentences_around_a_task_are_of_one_move() -> None:
    for sentences in moves():
        for move in Move:
            found = [text for text in sentences if any(line.fullmatch(text) for line in lines_of(move))]
            assert len(found) <= 1, (move, found)


def test_one_sentence_of_the_recipe_at_most_and_none_of_ours_on_the_same_matter() -> None:
    recipe_lines = ["We need it for a film.", "Our boss asked for it."]
    seen = False
    for sentences in moves(recipe_lines):
        theirs = [text for text in sentences if text in recipe_lines]
        ours = [text for text in sentences if any(line.fullmatch(text) for line in lines_of(Move.OCCASION))]
        seen = seen or bool(theirs)
        assert len(theirs) + len(ours) <= 1, sentences
    assert seen


def test_a_long_task_gets_no_context_and_short_tasks_differ_in_length() -> None:
    assert not any(moves(length=800))
    lengths = {len(" ".join(sentences)) // 100 for sentences in moves()}
    assert {0, 2, 3} <= lengths


def test_a_note_is_not_polite_and_a_wish_is_followed_by_a_request() -> None:
    polite = lines_of(Move.GREETING) + lines_of(Move.THANKS)
    assert not any(
        line.fullmatch(text) for sentences in moves(register="note") for text in sentences for line in polite
    )
    asks = frame_lines("asks", "shell")
    assert any(text in asks for sentences in moves(register="wish") for text in sentences)
    assert not any(text in asks for sentences in moves(register="question") for text in sentences)


def test_one_person_at_most_appears_in_the_frames_of_an_instruction() -> None:
    people = re.compile(rf"\b(?:{'|'.join(map(re.escape, frame_lines('someone')))})\b", re.I)
    for seed in range(100):
        decks = FrameDecks(random.Random(seed))
        lines = [decks.next("nouns") for _ in range(3)] + [decks.next("moves", Move.OCCASION, "after")]
        assert sum(bool(people.search(line)) for line in lines) <= 1, lines


def test_a_link_never_begins_the_settings() -> None:
    settings = {"settings": {"rate": "learning rate"}, "goals": ["train on Cora"], "context": []}
    wording = RecipeWording.model_validate(settings)
    links = re.compile("|".join(link.strip().capitalize() for link in frame_lines("links")))
    assert any(links.search(text) for text in composed("train the graph network on {dataset}"))
    assert not any(links.search(compose(wording, {"rate": "0.1"}, "shell", random.Random(i))) for i in range(200))


def test_context_that_refers_to_the_goal_comes_after_it() -> None:
    wording = RecipeWording.model_validate({**WORDING, "context": ["Chemists use it."]})
    said = {"dataset": "Cora", "rate": "5e-3", "epochs": "200", "norm": ""}
    for seed in range(60):
        assert not compose(wording, said, "shell", random.Random(seed)).startswith("Chemists")


@pytest.mark.parametrize(
    ("form", "wanted"),
    [
        ("{} as the folder", '"wide" as the folder'),
        ('the folder "{}"', 'the folder "wide"'),
        ("./out/{}", "./out/wide"),
    ],
)
def test_a_plain_word_as_a_value_is_quoted_once(form: str, wanted: str) -> None:
    made = {**WORDING, "settings": {"folder": f"{form}"}, "goals": ["train"], "context": []}
    text = compose(RecipeWording.model_validate(made), {"folder": quoted("wide")}, "shell", random.Random(1))
    assert wanted in text and text.count("wide") == 1, text


@pytest.mark.parametrize("value", ["out/wide", "cora.csv", "0.1", "a plain phrase", "Cora", "x", "bf16"])
def test_other_values_are_not_quoted(value: str) -> None:
    assert quoted(value) == value


def test_training_rows_quote_the_plain_words_of_a_list() -> None:
    wording = {**WORDING, "settings": {**WORDING["settings"], "folder": "output folder | {} as the output folder"}}  # type: ignore[dict-item]
    arguments = {**ARGUMENTS, "folder": ["wide", "out/x"]}
    slots = " ".join(f"{{{{ {name} }}}}" for name in arguments)
    made = recipe(
        wording,
        arguments=arguments,
        reference=f"python train.py {slots}",
        instructions=tuple(f"{letter} {slots}." for letter in "ABCDE"),
    )
    rows = build_rows([RowTask(made, ORACLE, 1, "suite/lichen", "id")], 1, SIZES, 0.0)["id_train"]
    assert {'"wide"' in row.instruction for row in rows} == {True, False}
    assert not any(re.search(r"(?<!\")wide", row.instruction) for row in rows)


def test_one_takes_no_plural() -> None:
    said = {"dataset": "Cora", "rate": "0.2", "epochs": "1", "norm": ""}
    for seed in range(30):
        text = compose(recipe().wording or pytest.fail(), said, "shell", random.Random(seed))
        assert "1 epochs" not in text, text


@pytest.mark.parametrize(
    ("value", "counted", "others"),
    [
        ("0.0001", False, ("0.0001", "1e-4", "10⁻⁴", "10^-4")),
        ("5e-3", False, ("5e-3", "0.005", "5 × 10⁻³")),
        ("0.2", False, ("0.2",)),
        ("12", True, ("12", "twelve")),
        ("12", False, ("12",)),
        ("5000", True, ("5000", "5,000", "5k")),
        ("cora", True, ("cora",)),
    ],
)
def test_numbers_are_spelled_as_people_do(value: str, counted: bool, others: tuple[str, ...]) -> None:
    assert spellings(value, counted) == others


@pytest.mark.parametrize("value", ["0.0001", "5e-3", "2.5e-5", "12", "100", "1000", "5000", "1e-6", "3"])
def test_every_spelling_is_read_back(value: str) -> None:
    for text in spellings(value, counted=True):
        assert [each.value for each in numbers_in(f"use {text} of them")] == [Decimal(value)], text


@pytest.mark.parametrize("value", ["0.2", "0.005", "0.125", "0.5"])
def test_every_share_is_read_back(value: str) -> None:
    for text in shares(value):
        assert [each.value for each in numbers_in(f"mask {text} of them")] == [Decimal(value)], text


def test_digits_in_names_and_paths_are_no_numbers() -> None:
    assert list(numbers_in("SD2.1 at 768x768 from ckpt/v2-1_512.pt, MS-1 and two-stage")) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Train on Cora at a learning rate of 0.005 for 200 epochs, without normalisation.", None),
        ("Train on Cora at a learning rate of 5 × 10⁻³ for 200 epochs, without normalisation.", None),
        ("Train on Cora for 200 epochs, without normalisation.", "rate: does not say"),
        ("Train on Citeseer at a learning rate of 0.005 for 200 epochs.", "dataset: does not say"),
        ("Train on Cora, not on Citeseer, at a learning rate of 0.005 for 200 epochs.", "says 'Citeseer'"),
        ("Train on Cora at a learning rate of 0.005 for 200 epochs with batches of 64.", "says '64'"),
        ("Train on Cora with 200 as the learning rate and 5e-3 epochs.", "stand at each other's names"),
        (
            "Train on Cora. The learning rate is 0.005. " + "This sentence says nothing at all. " * 4 + "200.",
            "nothing near",
        ),
    ],
)
def test_a_text_is_read_back(text: str, fault: str | None) -> None:
    combination = {**COMBINATION, "norm": ()}
    if "normalisation" not in text:
        text += " It goes without normalisation."
    found = list(reader().faults(combination, text))
    assert found == [] if fault is None else any(fault in each for each in found), found


def test_training_rows_are_composed_and_test_rows_take_the_first_templates() -> None:
    tasks = [RowTask(recipe(), ORACLE, 1, "suite/lichen", "id")]
    rows = build_rows(tasks, 1, {"full": 4, "quarter": 1, "id_train": 20, "ood_train": 0}, 0.0)
    assert all(row.instruction.startswith(("A ", "B ")) for row in rows["full"])
    assert not any(row.instruction.startswith(("C ", "D ", "E ")) for row in rows["id_train"])
    assert len({row.instruction for row in rows["id_train"]}) == 20
    assert list(leaks(rows["full"], rows["id_train"])) == []


def test_a_recipe_without_a_wording_uses_its_templates() -> None:
    tasks = [RowTask(recipe(None), ORACLE, 1, "suite/lichen", "id")]
    rows = build_rows(tasks, 1, {"full": 4, "quarter": 1, "id_train": 20, "ood_train": 0}, 0.0)
    assert all(row.instruction.startswith(("C ", "D ", "E ")) for row in rows["id_train"])


def test_a_training_row_with_other_numbers_is_a_leak() -> None:
    row = Sample(1, "lichen", 0, 0, ".", "{}", "Train for 20 epochs at 1e-3.", "", SHELL_TYPE, "", "")
    same, other = (
        replace(row, id=1, instruction="Train for five epochs at 0.2."),
        replace(row, id=2, instruction="Run it."),
    )
    assert [(a.id, b.id) for a, b in leaks([row], [other, same])] == [(0, 1)]
    assert list(leaks([row], [other, replace(same, github_id=2)])) == []
