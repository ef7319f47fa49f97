"""What one process has said about its command line: parses, refusals, and what cannot be checked.

In mode `stop` (the check) an answer is one JSON object with the fields of an `Invocation`, sent once; the process then
ends. A parse that succeeds does not end it at once: programs parse twice, and look at what they parsed. Execution goes
on for a counted number of steps, and the last parse counts; what happens in these steps is
part of the answer. In mode `ride` (a real execution) each event is sent as it happens, and the program goes on.
"""

from __future__ import annotations

import os
import sys
from types import FrameType, ModuleType, TracebackType

from . import settings, values

TYPE_CHECKING = False  # `typing` costs every interpreter that is watched some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    Send = Callable[[Any], None]

STEPS_AFTER = 40  # lines of the repository's own code and calls of libraries, after the first parse
STEPS_BY_HAND = 3000
MESSAGE = 4000
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
        self.describes: Callable[[], bool] = lambda: False  # whether the question asks what each option takes
        self.is_own: Callable[[str], bool] = lambda name: False  # whether the repository has a module of this name
        self.unchecked: list[str] = []
        self.repairs: list[str] = []
        self.pretended = False  # the program has written what is not there; see writes.py
        self.touched = 0  # how often code has used a stub, and how often a branch may have hung on one; see stubs.py
        self.tested = 0
        self._touched_at_parse = 0
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
        """A command line was parsed: destination -> value as it is; encoded here.

        `schema` is called only where the question asks what each option takes; see parsers/schemas.py.
        """
        given = list(given)
        with self.uncounted():
            configuration = {**configuration, **settings.settings(configuration, given)}
        answer = {
            "status": "accepted",
            "parser": parser,
            "configuration": {str(name): values.encode(value) for name, value in configuration.items()},
            "given": [str(name) for name in given],
            "options": {str(name): [str(each) for each in strings] for name, strings in options.items()},
            "ignored": [values.encode(str(word)) for word in ignored],
            "unchecked": list(unchecked),
        }
        if schema is not None and self.describes():
            answer["schema"] = described(schema)
        first = self.last is None
        self.last = answer = merged(self.last, answer) if self.last else answer
        if self.mode == "ride":
            self._report(answer)
            return
        self._report({**answer, "final": False})
        self._touched_at_parse = self.touched
        if first:
            self._steps_left = STEPS_AFTER
            self._go_on()

    def rejected(
        self,
        reason: str,
        message: str,
        parser: str = "",
        options: Callable[[], dict[str, list[str]]] | None = None,
        schema: Callable[[], dict[str, Any]] | None = None,
    ) -> None:
        """The parser refuses the words. In mode `stop` this does not return.

        `options` and `schema` are as in `parsed`, and called only where the question asks what each option takes.
        """
        answer = self._refusal("rejected", reason, message, parser)
        if options is not None and schema is not None and self.describes():
            answer.update(options=described(options), schema=described(schema))
        if self.last is not None and self.mode == "stop":
            if self.touched > self._touched_at_parse:
                self._end_with_note(f"after parsing, on stubs: {message}")
            answer = {**self.last, **answer}
        self._end_with(answer)

    def broken(self, reason: str, message: str) -> None:
        """The program itself is at fault, whatever its words. In mode `stop` this does not return."""
        self._end_with(self._refusal("broken", reason, message))

    def undecided(self, reason: str, message: str) -> None:
        """The check ends here without a finding. In mode `stop` this does not return."""
        self._end_with(self._refusal("undecided", reason, message))

    def read_by_hand(self) -> None:
        """The repository's own code reads `sys.argv`: a parser may come later, but not after very many lines."""
        self.by_hand = True
        self.unparked()
        if self.mode == "stop":
            self._steps_left = STEPS_BY_HAND
            self._go_on()

    def note(self, text: str) -> None:
        """Something that the check leaves open, in words; said once."""
        if text not in self.unchecked and len(self.unchecked) < 50:
            self.unchecked.append(text[:MESSAGE])

    # how the program ends

    def finished(self, error: BaseException | None = None, tainted: bool = False) -> None:
        """The program has ended: by itself, or by an exception that stubs may have brought about.

        Only in mode `stop`; does not return.
        """
        if self.last is not None:
            self._ended_after_parse(error, tainted or self.touched > self._touched_at_parse)
        if isinstance(error, SystemExit):
            code = error.code
            words = code if isinstance(code, str) else f"it ends with exit code {0 if code is None else code}"
            if tainted:
                self.undecided("exits-early", f"{words}, before it parses; stubs stand in for missing modules")
            self._end_with(self._refusal("rejected", "exits-early", f"before it parses: {words}"))
        if self.by_hand and not isinstance(error, IndexError):
            self._end_by_hand(describe(error, self.root) if error else "")
        if error is None:
            self.undecided("never-parses", "the program ends and has not parsed a command line")
            return
        message = describe(error, self.root)
        if isinstance(error, EOFError) and "EOF when reading a line" in str(error):
            self.undecided("reads-input", message)
        if self.by_hand:
            self._end_with(self._refusal("rejected", "missing-argument", message, "sys.argv"))
        if isinstance(error, MemoryError):
            self.undecided("memory-limit", message)
        reason, words = why(error, message)
        name = error.name or "" if isinstance(error, ModuleNotFoundError) else ""
        elsewhere = self.is_own(name.partition(".")[0])
        if tainted and not clash(error) and not (elsewhere and "." not in name):
            self.undecided("raised", f"on stubs: {message}")
        if reason == "run-with-m" or elsewhere:  # the way it was started is at fault
            self._end_with(self._refusal("rejected", reason, words))
        self.broken(reason, words)

    def _ended_after_parse(self, error: BaseException | None, tainted: bool) -> None:
        if error is None or (isinstance(error, SystemExit) and error.code in (None, 0)):
            self._end_with(self.last or {})
        message = describe(error, self.root) if error else ""
        if tainted or by_the_machine(error):
            self._end_with_note(f"after parsing: {message}")
        if isinstance(error, SystemExit):
            message = str(error.code)
        status = "broken" if whatever_the_words(error) else "rejected"
        self._end_with({**(self.last or {}), **self._refusal(status, "raised", message)})

    # going on after a parse

    def _go_on(self) -> None:
        """From here on, count steps, and end the process when there have been enough."""
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
        """A context in which a parser is at work: its steps and imports are no sign that the program's work begins."""
        return Uncounted(self)

    def _step(self) -> None:
        if self.parsers_at_work:
            return
        self._steps_left -= 1
        if self._steps_left < 0:
            self.settled()

    def settled(self) -> None:
        """The last parse stands. Does nothing before one; else, in mode `stop`, does not return."""
        if self.mode != "stop" or self.parsers_at_work:
            return
        if self.last is not None:
            self._end_with(self.last)
        if self.by_hand:
            self._end_by_hand("")

    def _end_by_hand(self, message: str) -> None:
        words = dict(enumerate(sys.argv[1:], 1))
        answer = self._refusal("undecided", "reads-argv-by-hand", message, "sys.argv")
        self._end_with({**answer, "configuration": {str(place): values.encode(word) for place, word in words.items()}})

    # reports

    def _refusal(self, status: str, reason: str, message: str, parser: str = "") -> dict[str, Any]:
        if "[Errno 30]" in str(message):  # nothing can be written here, where a writable jail may let it
            return {"status": "undecided", "reason": "raised", "message": message, "wrote": True}
        if "[Errno 11]" in str(message):  # see confine.py
            return {"status": "undecided", "reason": "cannot-follow", "message": f"it starts a process: {message}"}
        said = {"status": status, "reason": reason, "message": values.encode(str(message).strip()[:MESSAGE])}
        return {**said, "parser": parser} if parser else said

    def _end_with_note(self, note: str) -> None:
        self.note(note)
        self._end_with(self.last or {})

    def _end_with(self, answer: dict[str, Any]) -> None:
        sys.settrace(None)
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
        """This process is a fork made by the check itself, and takes over the record."""
        self._owner = os.getpid()


class Uncounted:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def __enter__(self) -> None:
        self._recorder.parsers_at_work += 1

    def __exit__(self, *error: object) -> None:
        self._recorder.parsers_at_work -= 1


def merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Two parses of one process: the later one counts where both speak; a word is ignored where both ignore it."""
    left = list(old["ignored"])
    ignored = []
    for word in new["ignored"]:
        if word in left:
            left.remove(word)
            ignored.append(word)
    kept = [name for name in old["given"] if name not in new["configuration"]]
    schema = {**old.get("schema", {}), **new.get("schema", {})}
    return {
        **new,
        **({"schema": schema} if schema else {}),
        "configuration": {**old["configuration"], **new["configuration"]},
        "given": [*kept, *new["given"]],
        "options": {**old["options"], **new["options"]},
        "ignored": ignored,
        "unchecked": [*old["unchecked"], *(each for each in new["unchecked"] if each not in old["unchecked"])],
    }


def described(schema: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What a parser's options take; nothing where its objects are not as they should be."""
    try:
        return schema()
    except Exception:  # the program's own classes stand behind it; the parse is what counts
        return {}


def clash(error: BaseException) -> bool:
    """Whether the program defines two options of one name: so it does, whatever stubs stand for."""
    kind = type(error).__name__
    return kind == "DuplicateFlagError" or (kind == "ArgumentError" and "conflicting option" in str(error))


def by_the_machine(error: BaseException | None) -> bool:
    """Whether data, memory, a library or the network is missing here; also where that was met while it was handled."""
    while error is not None:
        if isinstance(error, (OSError, MemoryError, ImportError, EOFError)) or type(error).__module__ == "sqlite3":
            return True
        error = error.__cause__ or error.__context__
    return False


def whatever_the_words(error: BaseException | None) -> bool:
    """Whether no word can be at fault: a name that nobody defined, or that a module does not have (any more)."""
    return isinstance(error, (NameError, SyntaxError)) or isinstance(getattr(error, "obj", None), ModuleType)


def why(error: BaseException, message: str) -> tuple[str, str]:
    """The reason code for an exception before the program parsed."""
    if isinstance(error, ImportError) and "attempted relative import" in str(error):
        return "run-with-m", message
    if isinstance(error, ModuleNotFoundError):
        return "no-such-module", message
    if isinstance(error, ImportError):
        return "import-fails", message
    if isinstance(error, SyntaxError):
        return "python-syntax", message
    if clash(error):
        return "conflicting-options", message
    if isinstance(error, FileNotFoundError):
        return "no-such-file", message
    return "raised", message


def describe(error: BaseException, root: str) -> str:
    """The exception's own words, and its place in the repository: the innermost line there."""
    place = ""
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith(root):
            place = f" ({trace.tb_frame.f_code.co_filename[len(root) :]}:{trace.tb_lineno})"
        trace = trace.tb_next
    try:
        words = str(error)
    except Exception:  # an exception class of the program's own
        words = ""
    return f"{type(error).__name__}: {words[:MESSAGE]}{place}" if words else f"{type(error).__name__}{place}"
