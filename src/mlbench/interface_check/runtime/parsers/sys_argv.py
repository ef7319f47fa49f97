"""Watch the reads of `sys.argv`, and record getopt.

Until a parser library reads it, the process has not seen any argument, and the check may park it there. If the
repository's own code reads it, everything after depends on the arguments. They are a configuration only if that code
reads each of them by its place, and none in another way.
"""

from __future__ import annotations

import opcode
import re
import sys

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType
    from typing import Any

    Take = Callable[[], list[str]]

MODULES = ("getopt",)
LIBRARIES = (
    "absl", "argparse", "click", "configargparse", "docopt", "fire", "getopt", "hydra", "jsonargparse", "omegaconf",
    "optparse", "simple_parsing", "tap", "tyro", "typer",
)  # fmt: skip


_RANK = re.compile(r"--local[-_]rank=\d+$")
_UNPACK = opcode.opmap["UNPACK_SEQUENCE"]


class _State:
    """The arguments of this process, and whether they were read.

    `places` has those of the words that the program read; None if it reads them in another way.
    """

    def __init__(self) -> None:
        self.argv: list[str] = []
        self.park: Take | None = None
        self.read = True
        self.recorder: Any = None
        self.vectors: list[ArgvWords] = []
        self.places: set[int] | None = set()
        self.reader = ""  # the file that read the first word

    def look(self, parser: bool) -> None:
        """Provide the arguments at their first read."""
        if self.read:
            return
        self.read = True
        if parser and self.park is not None:
            self.argv[1:] = self.park()
        else:
            self.recorder.read_by_hand()
        for vector in self.vectors:
            list.__setitem__(vector, slice(None), self.argv[vector.start :])
        self.vectors = []


_state = _State()


class ArgvWords(list):  # type: ignore[type-arg]  # cannot be subscripted as a base under Python 3.8
    """`sys.argv` or `sys.argv[1:]` before the first read. Slicing off the program's name is no read."""

    def __init__(self, start: int) -> None:
        super().__init__(_state.argv[start:])
        self.start = start
        _state.vectors.append(self)


def _reader(name: str) -> Any:
    original = getattr(list, name)

    def read(self: ArgvWords, *args: Any) -> Any:
        frame = sys._getframe(1)
        parser = _is_parser(frame)  # or the check itself
        _state.look(parser)
        if parser or name == "__len__":
            return original(self, *args)
        if name == "__iter__" and frame.f_code.co_code[frame.f_lasti] == _UNPACK:
            _place(range(self.start, len(_state.argv)), frame)
        else:
            _state.places = None
        return original(self, *args)

    return read


_READING = (
    "append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort", "__add__",
    "__contains__", "__delitem__", "__eq__", "__ge__", "__gt__", "__iadd__", "__imul__", "__iter__", "__le__",
    "__len__", "__lt__", "__mul__", "__ne__", "__repr__", "__reversed__", "__rmul__", "__setitem__",
)  # fmt: skip
for _name in _READING:
    setattr(ArgvWords, _name, _reader(_name))


def _radd(self: ArgvWords, other: Any) -> Any:
    _state.look(_is_parser(sys._getframe(1)))
    _state.places = None
    return other + list(self)


def _getitem(self: ArgvWords, key: Any) -> Any:
    frame = sys._getframe(1)
    parser = _is_parser(frame)
    if self.start == 0 and key == slice(1, None) and not parser:
        return ArgvWords(1)
    if not _state.read:
        if self.start == 0 and key == 0:
            return _state.argv[0]
        _state.look(parser)
    value = list.__getitem__(self, key)
    if parser:
        return value
    if type(key) is int:
        _place([self.start + (key if key >= 0 else len(self) + key)], frame)
    else:
        _state.places = None
    return value


def _place(places: Iterable[int], frame: FrameType) -> None:
    """Note that the program reads words by their places."""
    _state.reader = _state.reader or frame.f_code.co_filename
    if _state.places is not None:
        _state.places.update(places)


def by_place() -> dict[str, str] | None:
    """The arguments by the names that the program gives them, if it reads each by its place alone; else None.

    What it reads after the check has ended is known by the text of the file that read the first one.
    """
    words = _state.argv[1:]
    if not words or not _state.places:
        return None
    from ..argv_places import places_in  # only here: watched interpreters start without it

    stated, numbers = places_in(_state.reader), range(1, len(words) + 1)
    if not _state.places.union(stated).issuperset(numbers):
        return None
    names = [stated.get(place) or f"argument_{place}" for place in numbers]
    if len({*names}) < len(names):
        names = [f"argument_{place}" for place in numbers]
    return dict(zip(names, words))  # noqa: B905  Python 3.8 has no `strict`


ArgvWords.__radd__ = _radd  # type: ignore[attr-defined]
ArgvWords.__getitem__ = _getitem  # type: ignore[assignment]


def watch(argv: list[str], recorder: Any, park: Take | None) -> None:
    """Put unread arguments into `sys.argv`. At the first read, `park` returns the arguments to use."""
    _state.argv, _state.park, _state.recorder, _state.read, _state.vectors = list(argv), park, recorder, False, []
    _state.places, _state.reader = set(), ""
    sys.argv = ArgvWords(0)


def words(args: Any) -> Any:
    """The words that a program gave to its parser; reads `sys.argv` if it is that."""
    if isinstance(args, ArgvWords):
        _state.look(True)
        return list(args)
    return args


def left() -> bool:
    """Whether there are arguments that were not read."""
    return not _state.read or len(_state.argv) > 1


def are_none() -> bool:
    """Whether the program was started without arguments, but for the rank that a launcher adds.

    This is a read: the process parks here if nothing has read the arguments before.
    """
    _state.look(True)
    return all(_RANK.match(word) for word in _state.argv[1:])


def _is_parser(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return name in LIBRARIES or (name == __name__.partition(".")[0])


REASONS = (
    ("not recognized", "unknown-argument"),
    ("not a unique prefix", "ambiguous-argument"),
    ("requires argument", "wrong-number-of-values"),
    ("must not have an argument", "wrong-number-of-values"),
)


def install(module: Any, recorder: Any) -> None:
    """Wrap getopt. A destination is the option's name, its value is text; the other words are `args`."""

    def wrap(name: str) -> None:
        original = getattr(module, name)

        def parse(args: Any, shortopts: str, longopts: Any = ()) -> Any:
            args = words(args)
            try:
                found, rest = original(args, shortopts, list(longopts) if not isinstance(longopts, str) else longopts)
            except module.GetoptError as error:
                reason = next((code for text, code in REASONS if text in str(error)), "usage")
                recorder.rejected(reason, str(error), "getopt")
                raise
            configuration: dict[str, Any] = {option.lstrip("-"): value for option, value in found}
            given = [*configuration, *(["args"] if rest else [])]
            options = {option.lstrip("-"): [option] for option, _ in found}
            recorder.parsed("getopt", {**configuration, "args": rest}, given, {**options, "args": ()})
            return found, rest

        setattr(module, name, parse)

    wrap("getopt")
    wrap("gnu_getopt")
