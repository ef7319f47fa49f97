"""What an exception says of a program: the reason code, its words, and whether the command's words can be at fault."""

from __future__ import annotations

from types import ModuleType, TracebackType

MESSAGE = 4000  # letters


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
