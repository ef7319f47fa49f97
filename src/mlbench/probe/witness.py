"""The recorder inside an interpreter of a real execution: says what code runs there, and what is parsed.

Run by a `.pth` file of the candidates' environment before anything else can. Where no agent listens it does nothing. It
reports foreign code (not from a read-only place, and not equal to the pristine repository's) before that code runs: it
cannot be taken back. Only what the interpreter has built in, or one compiled module of its own, is imported.

Reports are datagrams, `kind NUL key NUL number NUL content`; the agent knows who sent them from the kernel. The key is
told once, before anything else runs, so that nobody else in the process can report; the numbers show that none is lost.
    hello                            waits for the answer: the Python answer's path, NUL, its SHA-256
    key                              of all reports to come, which are numbered from 1
    foreign FILE                     code that is not the repository's is about to run
    text FILE: NAMES                 text with calls in it is about to be evaluated by FILE
    reaches EVENT                    a Python answer does what only tricks against the recorder need
    parse JSON                       what the recorder of `recorder.py` says of a command line, with the program's file
    call JSON                        a Python answer's call into the repository, with a number
    done NUMBER, raised NUMBER       that call came back, or ended by an exception
    changes NAMES                    a Python answer changes what is the repository's
    altered FILE:STATE               a file of the repository is read that is not as the repository has it
    wrote FILE:STATE                 a file of the repository that the program itself has written, as it leaves it
    end                              the interpreter came to its regular end
"""

import sys
from _thread import get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any

ADDRESS = b"\0mlbench-witness"
WORKSPACE, PRISTINE, PROBE, TOOLS = "/workspace/", "/opt/repository/", "/opt/probe/", "/opt/tools/"
TRUSTED = (sys.base_prefix + "/", "/opt/env/", TOOLS, PROBE, PRISTINE, "/usr/lib/")  # nobody can write there
RUNS_TEXT = ("/timeit.py", "/pdb.py", "/bdb.py", "/code.py", "/codeop.py", "/trace.py", "/profile.py", "/cProfile.py")
ARCHIVE = b"PK\5\6"  # where a zip archive's directory ends
MAGIC_END = b"\r\n"  # of the four bytes with which compiled code begins
TRUNCATED = 0o1000  # a flag of `open`
LARGEST = 200_000  # bytes: what the kernel lets one datagram hold
UNPICKLED = {"os", "posix", "subprocess", "sys", "runpy", "ctypes", "signal", "importlib", "pty", "shutil", "code"}
BUILT_IN = {"eval", "exec", "compile", "__import__", "getattr", "setattr", "open", "exit", "quit", "globals"}
REACHES = {"gc.get_objects", "gc.get_referrers", "gc.get_referents", "sys.setprofile", "sys.settrace", "ctypes.dlopen"}
REACHES |= {"ctypes.dlsym", "socket.connect", "socket.bind", "socket.sendto", "code.__new__", "sys.addaudithook"}
REACHES |= {"socket.sendmsg", "function.__new__", "sys._getframe"}
PARTS = {"__code__", "__defaults__", "__kwdefaults__", "__class__", "__bases__"}  # of functions and classes
FRAMES = {"f_code", "tb_frame", "gi_frame", "cr_frame", "ag_frame", "gi_code", "cr_code", "ag_code", "__code__"}
FRAMES |= {"__kwdefaults__"}
CALLERS = {"around", "beside", "_set", "_look", "getmembers", "_getmembers"}  # of what the answer wants to be called
GO_BETWEEN = ("/opt/probe/instrument.py", "/ctypes/__init__.py", "/socket.py", "/inspect.py", "/traceback.py")
"""They do such things for their callers."""


class Channel:
    """The way to the agent; opened anew where the program has closed every descriptor it did not know."""

    def __init__(self) -> None:
        import _socket
        from itertools import count
        from posix import urandom

        self._module = _socket
        self._socket = self._connected()
        self._key = urandom(16).hex()
        self._numbers = count()

    def _connected(self) -> "Any":
        channel = self._module.socket(self._module.AF_UNIX, self._module.SOCK_DGRAM)
        channel.bind(b"")  # a name of the kernel's choice, so that the agent can answer
        channel.connect(ADDRESS)  # and nobody else
        return channel

    def greet(self) -> "tuple[str, str]":
        self._socket.send(b"hello")
        path, _, digest = self._socket.recv(1 << 16).decode("utf-8", "replace").partition("\0")
        self.send("key")
        return path, digest

    def send(self, kind: str, content: str = "") -> None:
        head = "\0%s\0%d\0" % (self._key, next(self._numbers))
        data = (kind + head + content).encode("utf-8", "backslashreplace")
        if len(data) > LARGEST:
            data = ("cut" + head + kind).encode()
        try:
            self._socket.send(data)
        except OSError:
            try:
                self._socket.detach()
                self._socket = self._connected()
                self._socket.send(data)
            except OSError:  # the execution is over for the agent
                pass


class Guard:
    """The audit hook."""

    def __init__(self, send: "Callable[..., None]", answer: str, digest: str) -> None:
        self.send = send
        self.answer, self.digest = answer, digest
        self.allowed: set[str] = set()
        self.same: set[str] = set()  # files whose source, just being compiled, is the repository's
        self.busy: set[int] = set()  # threads in here
        self.handlers: dict[str, Callable[[tuple[Any, ...], FrameType | None], None]] = {
            "compile": self.compiled,
            "exec": self.executed,
            "import": self.imported,
            "open": self.opened,
            "pickle.find_class": self.unpickled,
            "mlbench.answer": self.answered,
            "cpython.run_file": self.begun,
        }
        self.main = ""  # the file that the interpreter itself has read
        self.written: set[str] = set()  # by the program itself
        for event in ("os.listdir", "os.scandir"):
            self.handlers[event] = self.listed
        for event in ("os.remove", "os.rename"):
            self.handlers[event] = self.removed
        if answer:
            for event in REACHES:
                self.handlers[event] = self.reaching(event)
            self.handlers["object.__setattr__"] = self.set_part
            self.handlers["object.__getattr__"] = self.got_part

    def hook(self, event: str, args: "tuple[Any, ...]") -> None:
        """Called thousands of times: what is of no interest leaves it at once."""
        handler = self.handlers.get(event)
        if handler is None:
            return
        if event == "exec":
            of_interest = not trusted(args[0].co_filename)
        elif event == "open":
            of_interest = type(args[0]) is not str or not trusted(args[0])
        elif event == "import":
            of_interest = args[1] is not None and not trusted(str(args[1]))
        elif event == "compile":
            of_interest = type(args[0]) is bytes and str(args[1]).startswith(WORKSPACE)
        else:
            of_interest = event != "os.listdir" or type(args[0]) is not str or not trusted(args[0])
        if not of_interest or (thread := get_ident()) in self.busy:
            return
        self.busy.add(thread)  # what is looked at makes events as well
        try:
            handler(args, sys._getframe().f_back)
        except Exception as error:
            self.send("foreign", "what could not be looked at: %s: %s" % (event, error))
        finally:
            self.busy.discard(thread)

    def compiled(self, args: "tuple[Any, ...]", caller: "FrameType | None") -> None:
        source, name = args[0], args[1]
        if source == pristine(name):
            self.same.add(name)

    def executed(self, args: "tuple[Any, ...]", caller: "FrameType | None") -> None:
        code = args[0]
        name = code.co_filename
        if name[:1] == "<":
            self.evaluated(code, caller)
        elif name in self.same:
            self.same.discard(name)
        else:
            path = absolute(name)
            if path in self.allowed or (caller is None and path == self.main and unchanged(path)):
                return
            if not self.equal(code, name, path):
                self.send("foreign", path)

    def begun(self, args: "tuple[Any, ...]", caller: "FrameType | None") -> None:
        if caller is None and not self.main:  # anybody may say so afterwards
            self.main = absolute(decoded(args[0]))

    def evaluated(self, code: "CodeType", caller: "FrameType | None") -> None:
        """Text that is no file: a command of `-c`, what the repository evaluates, what libraries make."""
        if caller is None:
            self.send("foreign", code.co_filename)
            return
        origin = caller.f_code.co_filename
        if origin.startswith("<frozen ") or (trusted(origin) and not origin.endswith(RUNS_TEXT)):
            return
        if code.co_names and calls(code):
            self.send("text", origin + ": " + " ".join(code.co_names[:20]))

    def equal(self, code: "CodeType", name: str, path: str) -> bool:
        source = pristine(path)
        if source is None:
            return False
        try:
            return bool(compile(source, name, "exec", dont_inherit=True) == code)
        except (SyntaxError, ValueError):
            return False

    def opened(self, args: "tuple[Any, ...]", caller: "FrameType | None") -> None:
        """Compiled code and archives bear whatever names they like: from a writable place they are foreign as such."""
        path = decoded(args[0])
        if caller is None or not path or trusted(path):  # here also of bytes
            return
        by = caller.f_code.co_filename
        if not by.startswith("<frozen "):
            self.data(path, args[2], caller)
            return
        compiled = by.startswith("<frozen importlib") and path.endswith(".pyc") and "/__pycache__/" not in path
        if not compiled and not by.startswith("<frozen zipimport"):
            return
        found = content(path)
        compiled = compiled or (found or b"")[2:4] == MAGIC_END
        if found is None or not (compiled or ARCHIVE in found):  # whatever is run is asked whether it is an archive
            return
        if found != pristine(absolute(path)):
            self.send("foreign", absolute(path))

    def data(self, path: str, flags: int, caller: "FrameType | None") -> None:
        """A file of the repository is read as the repository has it, or as the program itself has written it."""
        if self.answer and path.startswith("/proc/") and path.endswith("/mem"):
            self.send("reaches", path)
        path = absolute(path)
        if not path.startswith(WORKSPACE) or path in self.written:
            return
        there = status(PRISTINE + path[len(WORKSPACE) :])
        if there is None:
            return
        if flags & 3 and not self.by_answer(caller):
            self.written.add(path)
        if flags & TRUNCATED:  # nothing of it is left
            return
        here = status(path)
        if here is None or here == there:
            return
        if here[1] != there[1] or content(path) != pristine(path):
            self.send("altered", described_file(path))

    def listed(self, args: "tuple[Any, ...]", caller: "FrameType | None") -> None:
        """What the program looks for in a folder of the repository is there."""
        path = absolute(decoded(args[0]) or ".")
        if caller is None or caller.f_code.co_filename.startswith("<frozen ") or not (path + "/").startswith(WORKSPACE):
            return
        import posix

        try:
            missing = set(posix.listdir(PRISTINE + path[len(WORKSPACE) :])) - set(posix.listdir(path))
        except OSError:
            return
        for name in sorted(missing):
            if path + "/" + name not in self.written:
                self.send("altered", described_file(path + "/" + name))

    def removed(self, args: "tuple[Any, ...]", caller: "FrameType | None") -> None:
        if not self.by_answer(caller):
            for name in args[:2]:
                path = absolute(decoded(name))
                if path.startswith(WORKSPACE):
                    self.written.add(path)

    def end(self) -> None:
        for path in sorted(self.written):
            self.send("wrote", described_file(path))
        self.send("end")

    def by_answer(self, caller: "FrameType | None") -> bool:
        """Whether a Python answer does something, itself or by a library; else the repository does it."""
        while caller is not None:
            name = absolute(caller.f_code.co_filename)
            if name in self.allowed:
                return True
            if name.startswith(WORKSPACE):
                return False
            caller = caller.f_back
        return bool(self.answer)

    def set_part(self, args: "tuple[Any, ...]", caller: "FrameType | None") -> None:
        """A function or a class of the repository is not rewritten."""
        if args[1] in PARTS and self.by_answer(caller):
            kind = type(args[0])
            code = args[0].__code__.co_filename if hasattr(kind, "__code__") else ""
            module = sys.modules.get((args[0] if issubclass(kind, type) else kind).__module__)
            if code.startswith(WORKSPACE) or str(getattr(module, "__file__", "")).startswith(WORKSPACE):
                self.send("changes", str(args[1]))

    def got_part(self, args: "tuple[Any, ...]", caller: "FrameType | None") -> None:
        """What leads from a function or a frame to the recorder."""
        if args[1] not in FRAMES:
            return
        while caller is not None and caller.f_code.co_filename.endswith(GO_BETWEEN):
            if caller.f_code.co_name not in CALLERS:
                return
            caller = caller.f_back
            while caller is not None and caller.f_code.co_name in ("_made", "_other"):
                caller = caller.f_back
        if caller is not None and absolute(caller.f_code.co_filename) in self.allowed:
            self.send("reaches", args[1])

    def imported(self, args: "tuple[Any, ...]", caller: "FrameType | None") -> None:
        """Compiled code of an extension module; everything else is executed, and seen there."""
        self.send("foreign", str(args[1]))

    def unpickled(self, args: "tuple[Any, ...]", caller: "FrameType | None") -> None:
        module, name = str(args[0]), str(args[1])
        if module.partition(".")[0] in UNPICKLED or (module == "builtins" and name in BUILT_IN):
            self.send("foreign", "a pickle that calls %s.%s" % (module, name))

    def reaching(self, event: str) -> "Callable[[tuple[Any, ...], FrameType | None], None]":
        def reached(args: "tuple[Any, ...]", caller: "FrameType | None") -> None:
            while caller is not None and caller.f_code.co_filename.endswith(GO_BETWEEN):
                caller = caller.f_back
            if caller is not None and absolute(caller.f_code.co_filename) in self.allowed:
                self.send("reaches", event)

        return reached

    def answered(self, args: "tuple[Any, ...]", caller: "FrameType | None") -> None:
        """The Python answer is about to run: the one file that may differ, if it is the one that was given."""
        path, source, hear = args
        if self.allowed:
            self.send("reaches", "mlbench.answer")
            return
        try:
            from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
        except ImportError:
            from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
        if path == self.answer and sha256(source).hexdigest() == self.digest:
            self.allowed.add(path)
            have_package()
            hear(self.send)
        else:
            self.send("foreign", path)


def trusted(path: str) -> bool:
    return path.startswith(TRUSTED) and "/../" not in path


def pristine(path: str) -> "bytes | None":
    """The repository's own version of a file of the workspace."""
    if not path.startswith(WORKSPACE) or "/../" in path:
        return None
    return content(PRISTINE + path[len(WORKSPACE) :])


def decoded(path: "Any") -> str:
    """A path as an audit event has it; empty where it is a descriptor."""
    return path if isinstance(path, str) else path.decode("utf-8", "surrogateescape") if isinstance(path, bytes) else ""


def status(path: str) -> "tuple[int, int] | None":
    """The same as long as nobody writes: when the file was last changed, which nobody can choose, and its size."""
    import posix

    try:
        stat = posix.stat(path)
    except OSError:
        return None
    return stat.st_ctime_ns, stat.st_size


def unchanged(path: str) -> bool:
    """Whether a source file is the repository's own, and always was: what was read of it is what the repository has."""
    if not path.startswith(WORKSPACE) or not path.endswith(".py"):
        return False
    here = status(path)
    return here is not None and here == status(PRISTINE + path[len(WORKSPACE) :])


def described_file(path: str) -> str:
    found = status(path)
    return path + (":%d:%d" % found if found else ":")


def content(path: str) -> "bytes | None":
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def absolute(name: str) -> str:
    import posixpath

    return posixpath.abspath(name)


def calls(code: "CodeType") -> bool:
    """Whether code, or code within it, calls something."""
    import opcode

    wanted = {number for name, number in opcode.opmap.items() if name.startswith(("CALL", "PRECALL"))}
    inner = [constant for constant in code.co_consts if hasattr(constant, "co_code")]
    return bool(wanted & set(code.co_code[::2])) or any(calls(constant) for constant in inner)


class Wrapper:
    """Finds the parser libraries as they are, and has them wrapped once they are loaded."""

    def __init__(self, waiting: "dict[str, list[str]]", riding: "Callable[[], Any]") -> None:
        self.waiting, self.riding = waiting, riding
        self.recorder: Any = None

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "Any":
        if name not in self.waiting:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not self else None
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = Loader(spec.loader, self)  # type: ignore[assignment]  # what importing asks of one
                return spec
        return None

    def loaded(self, module: "Any") -> None:
        for name in self.waiting.pop(module.__name__):
            wrapper = "_mlbench_probe.parsers." + name
            self.recorder = self.recorder or self.riding()
            __import__(wrapper)
            sys.modules[wrapper].install(module, self.recorder)


class Loader:
    """A loader, and what is to be done once it has loaded."""

    def __init__(self, loader: "Any", wrapper: Wrapper) -> None:
        self._loader, self._wrapper = loader, wrapper

    def __getattr__(self, name: str) -> "Any":
        return getattr(self._loader, name)

    def create_module(self, spec: "Any") -> "Any":
        return self._loader.create_module(spec)

    def exec_module(self, module: "Any") -> None:
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._wrapper.loaded(module)


def have_package() -> None:
    """Let the probe's modules be imported under a name that no repository has."""
    package = type(sys)("_mlbench_probe")
    package.__path__ = [PROBE]
    sys.modules.setdefault("_mlbench_probe", package)


def wrappers() -> "dict[str, list[str]]":
    """The parsers' wrappers, by the module that each waits for (see `parsers.txt`)."""
    table: dict[str, list[str]] = {}
    with open(PROBE + "parsers.txt") as file:
        for line in file:
            module, name = line.split()
            table.setdefault(module, []).append(name)
    return table


def described(answer: "dict[str, Any]") -> str:
    """A parse as JSON, with the program's file and words."""
    from _mlbench_probe.values import as_json  # type: ignore[import-not-found]

    main = sys.modules.get("__main__")
    file, how = str(getattr(main, "__file__", "")), "module" if getattr(main, "__spec__", None) else "file"
    if file.startswith(TOOLS):
        file, how = declared(file), "console-script"
    import os

    file = os.path.realpath(file)  # `./x.py`, and `x.py` behind a link, are `x.py`
    found: str = as_json({**answer, "main": file, "how": how, "argv": [str(word) for word in sys.argv[1:]]})
    return found


def declared(script: str) -> str:
    """The file of the module that a console script calls: `from MODULE import FUNCTION` stands in it."""
    with open(script) as file:
        for line in file:
            if line.startswith("from "):
                return str(getattr(sys.modules.get(line.split()[1]), "__file__", script))
    return script


def start() -> None:
    sys.modules["mlbench_witness"] = None  # type: ignore[assignment]  # `site` runs the `.pth` files of a venv twice
    try:
        channel = Channel()
        answer, digest = channel.greet()
    except OSError:  # no agent listens: this execution is not witnessed
        return
    import atexit

    def riding() -> "Any":
        """The recorder of this interpreter, loaded with the first parser."""
        have_package()
        from _mlbench_probe.recorder import Recorder  # type: ignore[import-not-found]

        return Recorder("ride", lambda answer: channel.send("parse", described(answer)))

    guard = Guard(channel.send, answer, digest)
    sys.addaudithook(guard.hook)
    if not answer:  # an answer is known by its calls; nothing that it can find leads to the channel
        sys.meta_path.insert(0, Wrapper(wrappers(), riding))
    atexit.register(guard.end)


start()
