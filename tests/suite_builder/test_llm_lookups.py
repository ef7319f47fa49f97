"""A model that looks into a repository before it answers: what it is shown, and when it has to end."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import pytest
from pydantic import BaseModel

from mlbench.suite_builder.llm import Asker
from mlbench.suite_builder.llm_lookups import ROUNDS, Looking, Lookup, Lookups

pytestmark = pytest.mark.anyio
A = TypeVar("A", bound=BaseModel)


class Verdict(Looking):
    verdict: str = "draft"


class Saying(Asker):
    """A model with these answers in turn, the last one for ever."""

    def __init__(self, *answers: Verdict | None) -> None:
        super().__init__(None)
        self.answers, self.asked = list(answers), list[str]()

    async def ask(self, instructions: str, text: str, answer: type[A], about: str = "") -> A | None:
        self.asked.append(text)
        said = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        assert said is None or isinstance(said, answer)
        return said


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text("a secret\n")
    folder = tmp_path / "moss"
    (folder / "moss").mkdir(parents=True)
    (folder / "train.py").write_text("import moss.net\nmoss.net.build(depth=3)\n")
    (folder / "moss" / "net.py").write_text("def build():\n    return 1\n")
    (folder / "long.py").write_text("".join(f"x{at} = 1\n" for at in range(1, 1001)))
    (folder / "weights.bin").write_bytes(b"x\0y\n")
    (folder / "out.txt").symlink_to(tmp_path / "secret.txt")
    return folder


async def shown(repository: Path, *look: Lookup) -> dict[str, str]:
    lookups = Lookups(repository)
    await lookups.ask(Saying(Verdict(look=list(look)), Verdict(verdict="good")), "", "?", Verdict, "")
    return lookups.shown


async def test_it_is_asked_again_with_what_it_wanted_to_see(repository: Path) -> None:
    asker = Saying(Verdict(look=[Lookup(path="moss/net.py")]), Verdict(verdict="wrong"))
    answer = await Lookups(repository).ask(asker, "", "Is this right?", Verdict, "")
    assert answer is not None and answer.verdict == "wrong"
    net = "moss/net.py:\n---\n1: def build():\n2:     return 1\n---"
    assert asker.asked == ["Is this right?", f"Is this right?\n{net}"]


async def test_files_folders_and_texts(repository: Path) -> None:
    every = [Lookup(path="."), Lookup(path="./moss/"), Lookup(find="build("), Lookup(path="moss", find="build(")]
    assert await shown(repository, *every) == {
        ".": "long.py\ntrain.py\nweights.bin\nmoss/",
        "moss": "net.py",
        "`build(` in all files": "train.py:2: moss.net.build(depth=3)\nmoss/net.py:1: def build():",
        "`build(` in moss": "moss/net.py:1: def build():",
    }


async def test_lines_are_numbered_and_bounded(repository: Path) -> None:
    found = await shown(repository, Lookup(path="long.py", first=900, last=901), Lookup(path="long.py", first=-5))
    assert found["long.py, lines 900 to 901"] == "900: x900 = 1\n901: x901 = 1\n(1000 lines in all)"
    assert found["long.py"].endswith("\n200: x200 = 1\n(1000 lines in all)")
    assert (await shown(repository, Lookup(find="x")))["`x` in all files"].endswith("\n(960 more)")


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "out.txt", "moss/../../secret.txt", "none.py"])
async def test_nothing_outside_of_the_repository_is_shown(repository: Path, path: str) -> None:
    assert list((await shown(repository, Lookup(path=path))).values()) == ["there is no such file or folder"]
    assert "secret" not in str((await shown(repository, Lookup(find="a secret"))).values())


async def test_a_file_that_is_no_text_is_empty(repository: Path) -> None:
    assert await shown(repository, Lookup(path="weights.bin")) == {"weights.bin": ""}


async def test_at_last_it_has_to_answer(repository: Path) -> None:
    asker = Saying(*(Verdict(look=[Lookup(find=f"x{at}")], verdict=str(at)) for at in range(20)))
    answer = await Lookups(repository).ask(asker, "", "?", Verdict, "")
    assert answer is not None and answer.verdict == str(ROUNDS)
    assert len(asker.asked) == ROUNDS + 1 and asker.asked[-1].endswith("answer now.")


async def test_looking_at_the_same_place_again_is_an_answer(repository: Path) -> None:
    asker = Saying(Verdict(look=[Lookup(path="train.py")]))
    answer = await Lookups(repository).ask(asker, "", "?", Verdict, "")
    assert answer is not None and len(asker.asked) == 2


async def test_a_second_question_shows_what_was_seen_for_the_first(repository: Path) -> None:
    lookups = Lookups(repository)
    asker = Saying(Verdict(look=[Lookup(path="moss/net.py")]), Verdict(verdict="good"))
    await lookups.ask(asker, "", "first", Verdict, "")
    await lookups.ask(asker, "", "second", Verdict, "")
    assert asker.asked[-1].startswith("second\nmoss/net.py") and "def build" in asker.asked[-1]


async def test_without_an_answer_there_is_none(repository: Path) -> None:
    assert await Lookups(repository).ask(Saying(None), "", "?", Verdict, "") is None
