"""The recorder inside an interpreter of a real execution: says what code runs there, and what is parsed.

Run by a `.pth` file of the candidates' environment before anything else can. Where no agent listens it does nothing. It
reports foreign code (not from a read-only place, and not equal to the pristine repository's) before that code runs: it
cannot be taken back. Only what the interpreter has built in, or one compiled module of its own, is imported.

Reports are datagrams, `kind NUL content`; the agent knows who sent them from the kernel:
    hello                            waits for the answer: the Python answer's path, NUL, its SHA-256
    foreign FILE                     code that is not the repository's is about to run
    text FILE: NAMES                 text with calls in it is about to be evaluated by FILE
    reaches EVENT                    a Python answer does what only tricks against the recorder need
    parse JSON                       what the recorder of `recorder.py` says of a command line, with the program's file
    call JSON                        a Python answer's call into the repository
    end                              the interpreter came to its regular end
"""

import sys

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
LARGEST = 200_000  # bytes: what the kernel lets one datagram hold
UNPICKLED = {"os", "posix", "subprocess", "sys", "runpy", "ctypes", "signal", "importlib", "pty", "shutil", "code"}
BUILT_IN = {"eval", "exec", "compile", "__import__", "getattr", "setattr", "open", "exit", "quit", "globals"}
REACHES = {"gc.get_objects", "gc.get_referrers", "gc.get_referents", "sys.setprofile", "sys.settrace", "ctypes.dlopen"}
REACHES |= {"ctypes.dlsym", "socket.connect", "socket.bind", "socket.sendto", "code.__new__", "sys.addaudithook"}
GO_BETWEEN = ("/opt/probe/instrument.py", "/ctypes/__init__.py", "/socket.py")  # do such things for their callers


class Channel:
    """The way to the agent; opened anew where the program has closed every descriptor it did not know."""

    def __init__(self) -> None:
        import _socket

        self._module = _socket
        self._socket = self._connected()

    def _connected(self) -> "Any":
        channel = self._module.socket(self._module.AF_UNIX, self._module.SOCK_DGRAM)
        channel.bind(b"")  # a name of the kernel's choice, so that the agent can answer
        channel.connect(ADDRESS)  # and nobody else
        return channel

    def greet(self) -> "tuple[str, str]":
        self._socket.send(b"hello")
        path, _, digest = self._socket.recv(1 << 16).decode("utf-8", "replace").partition("\0")
        return path, digest

    def send(self, kind: str, content: str = "") -> None:
        data = (kind + "\0" + content).encode("utf-8", "backslashreplace")
        if len(data) > LARGEST:
            data = ("cut\0" + kind).encode()
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
        self.comparing = False
        self.handlers: dict[str, Callable[[tuple[Any, ...], FrameType | None], None]] = {
            "compile": self.compiled,
            "exec": self.executed,
            "import": self.imported,
            "open": self.opened,
            "pickle.find_class": self.unpickled,
            "mlbench.answer": self.answered,
        }
        if answer:
            for event in REACHES:
                self.handlers[event] = self.reaching(event)

    def hook(self, event: str, args: "tuple[Any, ...]") -> None:
        """Called thousands of times: what is of no interest leaves it at once."""
        handler = self.handlers.get(event)
        if handler is None or self.comparing:
            return
        if not (event == "exec" and trusted(args[0].co_filename)) and not (event == "import" and args[1] is None):
            try:
                handler(args, sys._getframe().f_back)
            except Exception as error:
                self.send("foreign", "what could not be looked at: %s: %s" % (event, error))

    def compiled(self, args: "tuple[Any, ...]", caller: "FrameType | None") -> None:
        source, name = args[0], args[1]
        if isinstance(source, bytes) and str(name).startswith(WORKSPACE) and source == pristine(name):
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
            if path not in self.allowed and not self.equal(code, name, path):
                self.send("foreign", path)

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
        self.comparing = True
        try:
            return bool(compile(source, name, "exec", dont_inherit=True) == code)
        except (SyntaxError, ValueError):
            return False
        finally:
            self.comparing = False

    def opened(self, args: "tuple[Any, ...]", caller: "FrameType | None") -> None:
        """Compiled code and archives bear whatever names they like: from a writable place they are foreign as such."""
        path = args[0]
        if caller is None or not isinstance(path, str) or trusted(path):
            return
        by = caller.f_code.co_filename
        compiled = by.startswith("<frozen importlib") and path.endswith(".pyc") and "/__pycache__/" not in path
        if not compiled and not by.startswith("<frozen zipimport"):
            return
        found = content(path)
        if found is None or not (compiled or ARCHIVE in found):  # whatever is run is asked whether it is an archive
            return
        if found != pristine(absolute(path)):
            self.send("foreign", absolute(path))

    def imported(self, args: "tuple[Any, ...]", caller: "FrameType | None") -> None:
        """Compiled code of an extension module; everything else is executed, and seen there."""
        if not trusted(str(args[1])):
            self.send("foreign", args[1])

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
    import json

    main = sys.modules.get("__main__")
    file, how = str(getattr(main, "__file__", "")), "module" if getattr(main, "__spec__", None) else "file"
    if file.startswith(TOOLS):
        file, how = declared(file), "console-script"
    return json.dumps({**answer, "main": file, "how": how, "argv": [str(word) for word in sys.argv[1:]]})


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

    sys.addaudithook(Guard(channel.send, answer, digest).hook)
    sys.meta_path.insert(0, Wrapper(wrappers(), riding))
    atexit.register(channel.send, "end")


start()
