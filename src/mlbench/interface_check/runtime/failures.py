"""Classify an exception of a program: reason code, message, and whether the arguments can be at fault."""

from __future__ import annotations

from types import ModuleType, TracebackType

MESSAGE = 4000  # letters


def clash(error: BaseException) -> bool:
    """Whether the program defines two options of one name. Stubs cannot cause this."""
    kind = type(error).__name__
    return kind == "DuplicateFlagError" or (kind == "ArgumentError" and "conflicting option" in str(error))


def by_the_machine(error: BaseException | None) -> bool:
    """Whether this machine lacks data, memory, a library or the network, also in a cause or context."""
    while error is not None:
        if isinstance(error, (OSError, MemoryError, ImportError, EOFError)) or type(error).__module__ == "sqlite3":
            return True
        error = error.__cause__ or error.__context__
    return False


def whatever_the_words(error: BaseException | None) -> bool:
    """Whether no argument can be at fault: an undefined name, or a name that a module lacks."""
    return isinstance(error, (NameError, SyntaxError)) or isinstance(getattr(error, "obj", None), ModuleType)


def why(error: BaseException, message: str) -> tuple[str, str]:
    """Return the reason code and the message of an exception before the parse."""
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
    """Return the exception's message and its innermost line in the repository."""
    place = ""
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith(root):
            place = f" ({trace.tb_frame.f_code.co_filename[len(root) :]}:{trace.tb_lineno})"
        trace = trace.tb_next
    try:
        words = str(error)
    except Exception:  # an exception class of the program may raise here
        words = ""
    return f"{type(error).__name__}: {words[:MESSAGE]}{place}" if words else f"{type(error).__name__}{place}"
