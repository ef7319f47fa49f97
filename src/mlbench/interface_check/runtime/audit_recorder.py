"""The recorder inside an interpreter of a real execution: says which programs run, what they parse, what is called.

Run by a `.pth` file of the candidates' environment before anything else can. Where no agent listens it does nothing.
What it says is a claim: it shares the process with hostile code. The judge holds it against what was left behind. Only
what the interpreter has built in, or one compiled module of its own, is imported.

Reports are datagrams, `kind NUL key NUL number NUL content`; the agent knows who sent them from the kernel. The key is
told once, before anything else runs; the numbers show that none is lost. Whoever else reports is found out.
    hello                            waits for the answer: the Python answer's path, NUL, its SHA-256
    key                              of all reports to come, which are numbered from 1
    used FILE                        a module of the repository is run, perhaps from an identical copy
    parse JSON                       what the recorder of `recorder.py` says of a command line, with the program's file
    call JSON                        a Python answer's call into the repository, with a number
    done NUMBER, raised NUMBER       that call came back, or ended by an exception
    reaches EVENT                    somebody else asks for the way to report
    end                              the interpreter came to its regular end
"""

import sys
from _thread import get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

ADDRESS = b"\0mlbench-witness"
WORKSPACE, PRISTINE, PROBE, TOOLS = "/workspace/", "/opt/repository/", "/opt/probe/", "/opt/tools/"
TRUSTED = (sys.base_prefix + "/", "/opt/env/", TOOLS, PROBE, PRISTINE, "/usr/lib/")  # nobody can write there
MOST_TOLD = 500
LARGEST = 200_000  # bytes: what the kernel lets one datagram hold


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
    """The audit hook: tells which of the repository's files are run, and whether the Python answer is about to."""

    def __init__(self, send: "Callable[..., None]", answer: str, digest: str) -> None:
        self.send = send
        self.answer, self.digest = answer, digest
        self.begun = False
        self.told: set[str] = set()
        self.busy: set[int] = set()  # threads in here

    def hook(self, event: str, args: "tuple[Any, ...]") -> None:
        """Called thousands of times: what is of no interest leaves it at once."""
        if event == "exec":
            if args[0].co_name != "<module>" or trusted(args[0].co_filename):
                return
        elif event != "mlbench.answer":
            return
        if (thread := get_ident()) in self.busy:
            return
        self.busy.add(thread)  # what is looked at makes events as well
        try:
            if event == "exec":
                self.use(real(args[0].co_filename))
            else:
                self.answered(*args)
        finally:
            self.busy.discard(thread)

    def use(self, path: str) -> None:
        """A module is run: of the repository, or an identical copy."""
        found = original(path)
        if not found or found in self.told or len(self.told) >= MOST_TOLD:
            return
        if (path == found and unchanged(path)) or content(path) == pristine(path):
            self.told.add(found)
            self.send("used", found)

    def answered(self, path: str, source: bytes, hear: "Callable[[Any], None]") -> None:
        """The Python answer is about to run, if it is the one that was given; nobody else asks how to report."""
        try:
            from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
        except ImportError:
            from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
        if self.begun:
            self.send("reaches", "mlbench.answer")
        elif path == self.answer and sha256(source).hexdigest() == self.digest:
            self.begun = True
            have_package()
            hear(self.send)

    def end(self) -> None:
        self.send("end")


def trusted(path: str) -> bool:
    return path.startswith(TRUSTED) and "/../" not in path


def pristine(path: str) -> "bytes | None":
    """The repository's own version of a file of the workspace, or of a copy of one that stands elsewhere."""
    found = original(path)
    return content(PRISTINE + found[len(WORKSPACE) :]) if found else None


def original(path: str) -> str:
    """The file of the workspace that a path names or, by the names at its end, is a copy of; empty if there is none."""
    if "/../" in path:
        return ""
    if path.startswith(WORKSPACE) and status(PRISTINE + path[len(WORKSPACE) :]) is not None:
        return path
    names = path.split("/")
    for place in range(1, len(names)):
        end = "/".join(names[place:])
        if status(PRISTINE + end) is not None:
            return WORKSPACE + end
    return ""


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


def content(path: str) -> "bytes | None":
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def real(name: str) -> str:
    """The file behind a name: `./x.py`, and `x.py` behind a link, are `x.py`."""
    import posixpath

    return posixpath.realpath(name)


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
    file = real(file)
    if (found := original(file)) and content(file) == pristine(file):
        file = found
    said: str = as_json({**answer, "main": file, "how": how, "argv": [str(word) for word in sys.argv[1:]]})
    return said


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
