"""Record what one process does with its command line: parses, refusals, and what cannot be checked.

Mode `stop` is the check. The answer is one JSON object with the fields of an `Invocation`, sent once; then the process
ends. A successful parse does not end it at once, because programs parse twice and validate the result. Execution
continues for a counted number of steps; their events are part of the answer, and the last parse counts.
Mode `ride` is a real execution. Each event is sent when it happens, and the program continues.
"""

from __future__ import annotations

import os
import sys
from types import FrameType

from . import assumed_inputs, config_files, inputs, left_over_settings, no_words, values
from .failures import MESSAGE, by_the_machine, clash, describe, whatever_the_words, why
from .parses import described, merged

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    Send = Callable[[Any], None]

STEPS_AFTER = 40  # lines of the repository's own code and calls of libraries, after the first parse
STEPS_BY_HAND = 3000
STEPS_LEFT_OVER = 60_000  # if a parser left words over, because another may take them
PARSERS = {  # top-level modules whose calls do not count, and this package itself
    *("absl", "antlr4", "argparse", "click", "configargparse", "docopt", "fire", "gin", "hydra", "omegaconf"),
    *("optparse", "simple_parsing", "typer", "yacs", "yaml", __name__.partition(".")[0]),
}


class Recorder:
    """The record of one process. `send` takes an answer; `root` is the repository's folder as the process sees it."""

    def __init__(self, mode: str, send: Send, root: str = "/workspace") -> None:
        self.mode = mode
        self.root = root.rstrip("/") + "/"
        self.last: dict[str, Any] | None = None
        self.by_hand = False
        self.unparked: Callable[[], None] = lambda: None  # called once this process has seen the words
        self.words_by_place: Callable[[], Any] = lambda: None  # the words, if its code reads each by its place alone
        self.is_bare: Callable[[], bool] = lambda: False  # whether it was started without arguments
        self.variables: Mapping[str, str] = {}  # the environment variables that the command sets
        self.printed: Callable[[], str] = lambda: ""  # the last line that the program printed
        self.describes: Callable[[], bool] = lambda: False  # whether the question asks what each option takes
        self.reads_inputs: Callable[[], bool] = lambda: False  # whether it asks what the inputs hold; see inputs.py
        self.is_own: Callable[[str], bool] = lambda name: False  # whether the repository has a module of this name
        self.unchecked: list[str] = []
        self.repairs: list[str] = []
        self.pretended = False  # the program has written what is not there; see readonly_fs.py
        self.made: set[str] = set()  # folders that it has made, and that are not there
        self.touched = 0  # how often code has used a stub, and how often a branch may have hung on one; see stubs.py
        self.tested = 0
        self.left_over: set[str] = set()  # words that no parser of the program has taken yet
        self.opened: list[tuple[Any, str]] = []  # parsers that were given to a stub, and the stub's name
        self.notes: dict[str, str] = {}  # what is to be said where a destination is given; see tables.py
        self._taken_by = ""  # who takes the words that are left over, where that cannot be followed
        self._reads_rest = False  # the program's own code looks at each of them
        self._touched_at_parse = self._tested_before = 0
        self._searches = assumed_inputs.Searches()
        self._send = send
        self._owner = os.getpid()
        self._steps_left = STEPS_AFTER
        self.parsers_at_work = 0

    # what parsers say

    def parsed(
        self,
        parser: str,
        configuration: Mapping[str, Any],
        given: Iterable[str],
        options: Mapping[str, Iterable[str]],
        ignored: Iterable[str] = (),
        unchecked: Iterable[str] = (),
        schema: Callable[[], dict[str, Any]] | None = None,
    ) -> None:
        """Record a parsed command line: values by destination, encoded here.

        `schema` is called only if the question asks for the options; see parsers/schemas.py.
        """
        given = list(given)
        unchecked = [*unchecked, *(self.notes[name] for name in given if name in self.notes)]
        with self.uncounted():
            configuration = {**configuration, **config_files.settings(configuration, given)}
        answer: dict[str, Any] = {
            "status": "accepted",
            "parser": parser,
            "configuration": {str(name): values.encode(value) for name, value in configuration.items()},
            "given": [str(name) for name in given],
            "options": {str(name): [str(each) for each in strings] for name, strings in options.items()},
            "ignored": [values.encode(str(word)) for word in ignored],
            "unchecked": list(unchecked),
        }
        if self.reads_inputs():
            with self.uncounted():
                answer["inputs"] = inputs.digests(list(answer["configuration"].values()), os.getcwd())
        if schema is not None and self.describes():
            answer["schema"] = described(schema)
        first, had_left_over = self.last is None, bool(self.left_over)
        self.last = answer = merged(self.last, answer) if self.last else answer
        self.left_over = set(answer["ignored"])
        if self.mode == "ride":
            self._report(answer)
            return
        self._report({**answer, "final": False})
        self._touched_at_parse, self._tested_before = self.touched, self.tested
        if first or had_left_over:
            self._steps_left = STEPS_LEFT_OVER if self.left_over else STEPS_AFTER
        if first:
            self._searches.begin()
            self._go_on()

    def rejected(
        self,
        reason: str,
        message: str,
        parser: str = "",
        options: Callable[[], dict[str, list[str]]] | None = None,
        schema: Callable[[], dict[str, Any]] | None = None,
    ) -> None:
        """Record that the parser refuses the command line. In mode `stop` this does not return.

        `options` and `schema` are as in `parsed`, and called only if the question asks for the options.
        """
        answer = self._refusal("rejected", reason, message, parser)
        if options is not None and schema is not None and self.describes():
            answer.update(options=described(options), schema=described(schema))
        if self.last is not None and self.mode == "stop":
            if self.tested > self._tested_before:
                self._end_with_note(f"after parsing, on stubs: {message}")
            self._excuse(message)
            answer = {**self.last, **answer}
        self._end_with(answer)

    def broken(self, reason: str, message: str) -> None:
        """Record a fault of the program itself. In mode `stop` this does not return."""
        self._end_with(self._refusal("broken", reason, message))

    def undecided(self, reason: str, message: str) -> None:
        """End the check without a finding. In mode `stop` this does not return."""
        self._end_with(self._refusal("undecided", reason, message))

    def read_by_hand(self) -> None:
        """Record that the repository's own code reads `sys.argv`. A parser may follow within a number of lines."""
        self.by_hand = True
        self._tested_before = self.tested
        self.unparked()
        if self.mode == "stop":
            self._steps_left = STEPS_BY_HAND
            self._go_on()

    def note(self, text: str) -> None:
        """Add a note about something that the check leaves open, once."""
        if text not in self.unchecked and len(self.unchecked) < 50:
            self.unchecked.append(text[:MESSAGE])

    # how the program ends

    def finished(
        self,
        error: BaseException | None = None,
        tainted: bool = False,
        refuses: Callable[[BaseException], bool] = lambda error: False,
    ) -> None:
        """Record the end of the program. Only in mode `stop`; does not return.

        Args:
            error: the exception that ended it; None if it ended by itself.
            tainted: stubs may have caused the exception.
            refuses: whether the exception is the program's own refusal of its arguments.
        """
        refused = (
            error is not None
            and self.tested == self._tested_before
            and not by_the_machine(error)
            and not whatever_the_words(error)
            and refuses(error)
        )
        if self.last is not None:
            self._ended_after_parse(error, not refused and (tainted or self.touched > self._touched_at_parse))
        bare = self.is_bare()
        if bare and not self.by_hand and (note := no_words.excused(error, tainted, self.root)) is not None:
            self._end_bare(note)
        if isinstance(error, SystemExit):
            code = error.code
            words = code if isinstance(code, str) else f"it ends with exit code {0 if code is None else code}"
            if tainted:
                self.undecided("stub", f"{words}, before it parses; stubs stand in for missing modules")
            self._end_with(self._refusal("rejected", "exits-early", f"before it parses: {words}"))
        if self.by_hand and not isinstance(error, IndexError) and not (bare and whatever_the_words(error)):
            if error is not None and refused and not assumed_inputs.is_asserted(error):
                self._end_with(self._refusal("rejected", "raised", describe(error, self.root), "sys.argv"))
            self._end_by_hand(describe(error, self.root) if error else "")
        if error is None:
            self.undecided("never-parses", "the program ends and has not parsed a command line")
            return
        message = describe(error, self.root)
        if isinstance(error, EOFError) and "EOF when reading a line" in str(error):
            self.undecided("reads-input", message)
        if self.by_hand and not whatever_the_words(error):
            self._end_with(self._refusal("rejected", "missing-argument", message, "sys.argv"))
        if isinstance(error, MemoryError):
            self.undecided("memory-limit", message)
        reason, words = why(error, message)
        name = error.name or "" if isinstance(error, ModuleNotFoundError) else ""
        elsewhere = self.is_own(name.partition(".")[0])
        if tainted and not clash(error) and not (elsewhere and "." not in name) and not _names_word(error):
            self.undecided("stub", message)
        if reason == "run-with-m" or elsewhere or _names_word(error):  # the way it was started is at fault
            self._end_with(self._refusal("rejected", reason, words))
        self.broken(reason, words)

    def _ended_after_parse(self, error: BaseException | None, tainted: bool) -> None:
        if error is None or (isinstance(error, SystemExit) and error.code in (None, 0)):
            self._end_with(self.last or {})
        message = describe(error, self.root) if error else ""
        starts = "[Errno 11]" in message
        if starts and self._reads_rest and left_over_settings.END in (self.last or {}).get("ignored", ()):
            self._end_with_note(f"after parsing: it starts a process: {message}")
        if self.left_over and starts:  # a program that it starts may take them
            self._end_with(self._refusal("undecided", "cannot-follow", message))
        if tainted or by_the_machine(error):
            self._end_with_note(f"after parsing: {message}")
        if isinstance(error, SystemExit):  # of a bare exit code, what the program printed before says more
            printed = "" if isinstance(error.code, str) else self.printed()
            message = printed or str(error.code)
        self._excuse(f"{message}: not found" if assumed_inputs.is_asserted(error) else message)
        if (
            isinstance(error, SystemExit)
            and isinstance(error.code, int)
            and (name := self._searches.in_vain(self.root))
        ):
            self._end_with_note(assumed_inputs.noted(name))
        status = "broken" if whatever_the_words(error) else "rejected"
        self._end_with({**(self.last or {}), **self._refusal(status, "raised", message)})

    def _excuse(self, message: str) -> None:
        """End with the last parse if the program only refuses that an input is missing."""
        if self.mode == "stop" and (name := assumed_inputs.refused(message, self.last, self)):
            self._end_with_note(assumed_inputs.noted(name))

    # going on after a parse

    def _go_on(self) -> None:
        """Count steps from here on, and end the process after enough of them."""
        sys.settrace(self._enter)
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            if frame.f_code.co_filename.startswith(self.root):
                frame.f_trace = self._line
            frame = frame.f_back

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename.startswith(self.root):
            return self._line
        if str(frame.f_globals.get("__name__")).partition(".")[0] in PARSERS:
            return None
        if self.last is not None and "site-packages" in frame.f_code.co_filename:
            self._step()  # a library at work: its calls count, its lines do not
        return None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._step()
        return self._line

    def uncounted(self) -> Uncounted:
        """A context for a parser's own work, whose steps and imports do not count."""
        return Uncounted(self)

    def _step(self) -> None:
        if self.parsers_at_work:
            return
        self._steps_left -= 1
        if self._steps_left < 0:
            self.settled()

    def settled(self) -> None:
        """End with the last parse. Returns only if there is none, or in mode `ride`."""
        if self.mode != "stop" or self.parsers_at_work or (self.left_over and self._steps_left >= 0):
            return
        if self.last is not None:
            self._end_with(self.last)
        if self.by_hand:
            self._end_by_hand("")

    def _end_bare(self, note: str) -> None:
        """End with an empty command line."""
        if note:
            self.note(note)
        self.parsed(no_words.PARSER, no_words.configuration(self.variables, self.root), (), {})
        self._end_with(self.last or {})

    def _end_by_hand(self, message: str) -> None:
        if self.is_bare():
            self._end_bare(f"after reading that there are no words: {message}" if message else "")
        if (found := self.words_by_place()) is not None:
            if message:
                self.note(f"after reading its words: {message}")
            named: dict[str, list[str]] = {name: [] for name in found}
            self.parsed("sys.argv", found, found, named)
            self._end_with(self.last or {})
        words = dict(enumerate(sys.argv[1:], 1))
        answer = self._refusal("undecided", "reads-argv-by-hand", message, "sys.argv")
        self._end_with({**answer, "configuration": {str(place): values.encode(word) for place, word in words.items()}})

    # reports

    def _refusal(self, status: str, reason: str, message: str, parser: str = "") -> dict[str, Any]:
        if "[Errno 30]" in str(message):  # nothing can be written here, where a writable jail may let it
            return {"status": "undecided", "reason": "raised", "message": message, "wrote": True}
        if "[Errno 11]" in str(message):  # see rlimits.py
            return {"status": "undecided", "reason": "cannot-follow", "message": f"it starts a process: {message}"}
        said = {"status": status, "reason": reason, "message": values.encode(str(message).strip()[:MESSAGE])}
        return {**said, "parser": parser} if parser else said

    def _end_with_note(self, note: str) -> None:
        self.note(note)
        self._end_with(self.last or {})

    def handed(self, name: str) -> None:
        """Record that a stub of this name was given the left-over words."""
        self._taken_by = self._taken_by or name

    def reads_rest(self) -> None:
        """Record that the program's own code iterates over the left-over words."""
        self._reads_rest = True

    def _with_left_over(self, answer: dict[str, Any]) -> dict[str, Any]:
        """The answer if words are left over: undecided if other code may take them, else unchanged."""
        if self.mode != "stop" or answer["status"] != "accepted" or not answer.get("ignored"):
            return answer
        words = " ".join(map(str, answer["ignored"]))
        if self._taken_by:
            said = self._refusal("undecided", "stub", f"{self._taken_by}, of a missing library, gets the words {words}")
        elif self._reads_rest:
            if found := left_over_settings.taken(answer):
                return found
            message = f"its own code reads the words that its parser left over: {words}"
            said = self._refusal("undecided", "reads-argv-by-hand", message)
        else:
            return answer
        return {**answer, **said}

    def _end_with(self, answer: dict[str, Any]) -> None:
        sys.settrace(None)
        answer = self._with_left_over(answer)
        self._report(answer)
        if self.mode == "stop":
            os._exit(0)

    def _report(self, answer: dict[str, Any]) -> None:
        if os.getpid() != self._owner:  # a process that the program forked is not the program
            if self.mode == "stop":
                os._exit(0)
            return
        decided = answer["status"] == "accepted" or (answer.get("parser") and answer["reason"] != "raised")
        if self.pretended and not decided:
            answer = {**answer, "wrote": True}
        unchecked = [*answer.get("unchecked", ()), *self.unchecked]
        with self.uncounted():
            self._send({**answer, "unchecked": unchecked, "repairs": list(self.repairs)})

    def moved(self) -> None:
        """Take over the record in a fork that the check itself made."""
        self._owner = os.getpid()


def _names_word(error: BaseException) -> bool:
    """Whether an error is about a file that the command line names."""
    name = str(getattr(error, "filename", None) or "")
    return bool(name) and any(name in (word, word.partition("=")[2]) for word in map(str, sys.argv[1:]))


class Uncounted:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def __enter__(self) -> None:
        self._recorder.parsers_at_work += 1

    def __exit__(self, *error: object) -> None:
        self._recorder.parsers_at_work -= 1
