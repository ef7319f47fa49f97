"""Aider's way of speaking, with an imitation of its loop (aider-chat 0.86.2) around a real shell."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.scripted_agent.behaviours import reply_of
from tests.scripted_agent.dialects.aider import Aider
from tests.scripted_agent.observations import CHUNK, TRY, Run, Turn, read, seen, write
from tests.scripted_agent.protocol import Conversation, Message, Role
from tests.scripted_agent.shell_loop import PROGRAM, README, make_repository, shell, task

RIGHT = "cd loom\npython weave.py --pattern satin --epochs 12 --lr 0.25\n"
TEST = "timeout 60 bash run.sh"
RULES = "2. The opening fence and code language, eg: {fence}python\nUse *SEARCH/REPLACE* blocks."
EXAMPLE = "mathweb/app.py\n{fence}python\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n{fence}\n\n```bash\nls\n```"
ADDED = "I added these files to the chat: {}\nLet me know if there are others we should add."
GO_ON = "The commands were run."


class Pair:
    """Aider in a folder. `files` are in the chat; `ended` tells whether there was nothing more to do."""

    def __init__(self, folder: Path, run: Callable[[str], str]) -> None:
        self.folder, self.run = folder, run
        self.files: list[str] = []
        self.commands: list[str] = []
        self.talk: list[Message] = []
        self.done, self.current, self.ended = list[Message](), list[Message](), False

    def play(self, words: str, behaviour: str = "competent", rounds: int = 30) -> Pair:
        for _ in range(rounds):
            self.current.append(Message("user", words))
            reply = reply_of(behaviour, self.said()).text
            self.current.append(Message("assistant", reply))
            self.talk.append(self.current[-1])
            words = self._answer(reply)
            if not words:
                self.ended = True
                break
        return self

    def said(self) -> Conversation:
        texts = {name: (self.folder / name).read_text() for name in self.files}
        fence = "````" if any(re.search("^```", text, re.M) for text in texts.values()) else "```"
        system, example = RULES.format(fence=fence), EXAMPLE.format(fence=fence)
        shown = "".join(f"\n{name}\n{fence}\n{text}{fence}\n" for name, text in texts.items())
        opening: list[tuple[Role, str]] = [("system", system), ("user", "Change it"), ("assistant", example)]
        opening += [("user", "I switched to a new code base. Please forget it."), ("assistant", "Ok.")]
        files = [Message("user", f"I have *added these files to the chat*.\n{shown}"), Message("assistant", "Ok.")]
        *before, last = self.current
        last = Message("user", f"{last.text}\n\n# *SEARCH/REPLACE block* Rules:\n\n{system}")
        talk = (*self.done, *(files if texts else []), *before, last)
        return Conversation("m", (*(Message(*each) for each in opening), *talk))

    def _answer(self, reply: str) -> str:
        words = {word.strip("\"'`*_,.!;:?") for word in reply.split()}
        there = [str(path.relative_to(self.folder)) for path in sorted(self.folder.rglob("*")) if path.is_file()]
        if named := [p for p in there if p not in self.files and {p, Path(p).name} & words]:
            self.files += named
            return ADDED.format(", ".join(named))
        edits = re.findall(r"(\S+)\n`{3,4}\w+\n<{7} SEARCH\n(.*?)={7}\n(.*?)>{7} REPLACE", reply, re.S)
        for path, old, new in edits:
            place = self.folder / path
            before = place.read_text() if place.exists() else ""
            assert old in before
            place.write_text(before.replace(old, new, 1) if old else before + new)
            self.files += [path] * (path not in self.files)
        if edits:
            self.done += [*self.current, Message("user", "I updated the files."), Message("assistant", "Ok.")]
            self.current = []
        answer = ""
        for block in re.findall(r"^```bash\n(?!<)(.*?)\n```", reply, re.M | re.S):
            self.commands.append(block)
            printed = f"Output from {block}\n{self.run(block)}\n[exit status 0]\n\n\n"
            self.current += [Message("user", printed), Message("assistant", "Ok")]
            answer = GO_ON
        return (self._tested() if edits else "") or answer

    def _tested(self) -> str:
        output = self.run(f"{TEST}; echo [exit status $?]")
        if "[exit status 0]" in output:
            return ""
        said = f"I ran this command:\n\n{TEST}\n\nAnd got this output:\n\n{output}\n"
        self.current += [Message("user", said), Message("assistant", "Ok.")]
        return said


@pytest.fixture
def weaver(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "weaver")


def test_the_whole_way(weaver: Path) -> None:
    pair = Pair(weaver, shell(weaver)).play(task())
    assert (weaver / "run.sh").read_text() == RIGHT
    assert pair.ended
    assert {"README.md", "loom/weave.py"} <= set(pair.files)
    assert "`README.md`" in pair.talk[1].text  # the first thing after looking around
    assert not [each for each in pair.commands if "bash run.sh" in each]  # Aider has tried it


def test_python_code_in_a_file_of_its_own(weaver: Path) -> None:
    pair = Pair(weaver, shell(weaver)).play(task("A spool of length 30, please.", python=True))
    assert pair.ended
    assert "length=30" in (weaver / "solve.py").read_text()
    assert "loom/thread.py" in pair.files


def test_what_is_missing_is_installed(weaver: Path) -> None:
    (weaver / "loom" / "weave.py").write_text(f"import treadle\n{PROGRAM}")
    run = shell(weaver)

    def install(command: str) -> str:
        return run("touch loom/treadle.py" if command == "pip install -q treadle" else command)

    pair = Pair(weaver, install).play(task())
    assert "pip install -q treadle" in pair.commands
    assert (weaver / "run.sh").read_text() == RIGHT
    assert pair.ended


def test_a_run_that_fails_is_mended(weaver: Path) -> None:
    """`treadle` is wanted only where the program really works: the trial that Aider makes shows it."""
    (weaver / "loom" / "weave.py").write_text(f"{PROGRAM}\nimport treadle\n")
    run = shell(weaver)

    def install(command: str) -> str:
        return run("touch loom/treadle.py" if command == "pip install -q treadle" else command)

    pair = Pair(weaver, install).play(task())
    assert pair.commands[-2:] == ["pip install -q treadle", TRY]
    assert pair.ended


def test_the_program_is_edited_in_its_place(weaver: Path) -> None:
    Pair(weaver, shell(weaver)).play(task(), "edits-program")
    assert (weaver / "loom" / "weave.py").read_text() == "print('finished: 100 %')\nraise SystemExit(0)\n"


def _edited(status: int) -> Pair:
    """run.sh was written, and Aider's trial of it ended so."""
    pair = Pair(Path(), str)
    pair.current = [Message("user", task())]
    edit = Message("assistant", Aider().say(pair.said(), write("run.sh", "ls")).text)
    pair.done = [*pair.current, edit, Message("user", "I updated the files."), Message("assistant", "Ok.")]
    failed = f"I ran this command:\n\n{TEST}\n\nAnd got this output:\n\n[exit status {status}]\n"
    pair.current = [Message("user", failed)]
    return pair


def test_a_run_without_end_counts_as_working() -> None:
    (trial,) = seen(Aider().turns(_edited(124).said())).tries
    assert "exit status 124" in trial


def test_the_examples_are_not_the_conversation() -> None:
    pair = Pair(Path(), str)
    pair.current = [Message("user", task())]
    assert Aider().turns(pair.said()) == []


def test_what_aider_did_not_write_is_not_written(weaver: Path) -> None:
    """A reply that names a new file has it shown, and its edit is lost."""
    pair = Pair(weaver, str)
    pair.current = [Message("user", task())]
    edit = Aider().say(pair.said(), write("run.sh", "python loom/weave.py")).text
    pair.current += [Message("assistant", edit), Message("user", ADDED.format("loom/weave.py"))]
    assert Aider().turns(pair.said()) == []
    pair.current[-1] = Message("user", "I updated the files.")
    assert Aider().turns(pair.said()) == [Turn(write("run.sh", "python loom/weave.py").command, "")]


def test_a_failed_trial_that_is_said_twice_counts_once() -> None:
    pair = _edited(1)
    pair.current += [Message("assistant", "Ok."), pair.current[-1]]
    assert len(seen(Aider().turns(pair.said())).tries) == 1


def test_a_trial_of_which_nothing_is_said_went_well() -> None:
    pair = _edited(1)
    pair.current = [Message("user", GO_ON)]
    assert seen(Aider().turns(pair.said())).tries == ("exit status 0",)


@pytest.mark.parametrize(
    "text", [README, "without an end", "one ends so ```\nand goes on", "x" * (2 * CHUNK), "y" * (CHUNK - 5), ""]
)
def test_files_are_read_whole(weaver: Path, text: str) -> None:
    (weaver / "README.md").write_text(text)
    pair = Pair(weaver, str)
    pair.files, pair.current = ["README.md", "loom/weave.py"], [Message("user", task())]
    state = seen(Aider().turns(pair.said()))
    assert state.texts == {"README.md": text.rstrip(), "loom/weave.py": PROGRAM.rstrip()}
    assert not state.partial


def test_a_file_that_does_not_come_counts_as_read(weaver: Path) -> None:
    pair = Pair(weaver, str)
    ask = Message("assistant", Aider().say(Conversation("m", ()), read("README.md")).text)
    pair.current = [Message("user", task()), ask, Message("user", "Too large to be added to the chat: README.md")]
    assert seen(Aider().turns(pair.said())).texts == {"README.md": ""}


def test_a_block_of_several_lines_is_one_command(weaver: Path) -> None:
    pair = Pair(weaver, shell(weaver))
    pair.current = [Message("user", task())]
    reply = Aider().say(pair.said(), Run("cd loom\npwd | tail -c 5", "Where am I?")).text
    pair.current.append(Message("assistant", reply))
    pair.current.append(Message("user", pair._answer(reply)))
    assert seen(Aider().turns(pair.said())).answers["cd loom\npwd | tail -c 5"].startswith("loom")
