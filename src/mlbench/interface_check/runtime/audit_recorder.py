"""Start the recorder inside an interpreter of a real execution.

A `.pth` file of the candidates' environment runs this file before any other code. The recorder reports which of the
repository's files run, what they parse, and what is called. If no agent listens, it does nothing. A report is only a
claim, because the recorder shares the process with hostile code: the judge compares it with what was left behind.

Start-up time counts here. Only modules that are built into the interpreter, and two of our own, are imported.
"""

import sys

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

PROBE, TOOLS = "/opt/probe/", "/opt/tools/"


def have_package() -> None:
    """Make the runtime importable under a name that no repository has."""
    package = type(sys)("_mlbench_probe")
    package.__path__ = [PROBE]
    sys.modules.setdefault("_mlbench_probe", package)


class Wrapper:
    """Finds the real parser libraries, and wraps each when it has been loaded."""

    def __init__(self, waiting: "dict[str, list[str]]", make_recorder: "Callable[[], Any]") -> None:
        self.waiting, self.make_recorder = waiting, make_recorder
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
            self.recorder = self.recorder or self.make_recorder()
            __import__(wrapper)
            sys.modules[wrapper].install(module, self.recorder)


class Loader:
    """A loader that tells the wrapper when its module has been loaded."""

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


def wrappers() -> "dict[str, list[str]]":
    """The wrapper modules, by the library module that each waits for (see `parsers.txt`)."""
    table: dict[str, list[str]] = {}
    with open(PROBE + "parsers.txt") as file:
        for line in file:
            module, name = line.split()
            table.setdefault(module, []).append(name)
    return table


def described(answer: "dict[str, Any]") -> str:
    """A parse as JSON, with the program's file and arguments."""
    from _mlbench_probe.audit_hook import content, original, pristine, real  # type: ignore[import-not-found]
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
    """The file of the module that a console script imports in its line `from MODULE import FUNCTION`."""
    with open(script) as file:
        for line in file:
            if line.startswith("from "):
                return str(getattr(sys.modules.get(line.split()[1]), "__file__", script))
    return script


def start() -> None:
    sys.modules["mlbench_witness"] = None  # type: ignore[assignment]  # `site` runs the `.pth` files of a venv twice
    have_package()
    from _mlbench_probe.audit_hook import AuditHook
    from _mlbench_probe.channel import Channel  # type: ignore[import-not-found]

    for name in ("_mlbench_probe.audit_hook", "_mlbench_probe.channel", "_mlbench_probe"):
        del sys.modules[name]  # a candidate that looks through the modules finds no way to report
    try:
        channel = Channel()
        answer, digest = channel.greet()
    except OSError:  # no agent listens: this execution is not recorded
        return
    import atexit

    def make_recorder() -> "Any":
        """The recorder of this interpreter, loaded with the first parser."""
        have_package()
        from _mlbench_probe.recorder import Recorder  # type: ignore[import-not-found]

        return Recorder("ride", lambda answer: channel.send("parse", described(answer)))

    hook = AuditHook(channel.send, answer, digest, have_package)
    sys.addaudithook(hook.hook)
    if not answer:  # a Python answer is known by its calls; nothing that it can find leads to the channel
        sys.meta_path.insert(0, Wrapper(wrappers(), make_recorder))
    atexit.register(hook.end)


start()
