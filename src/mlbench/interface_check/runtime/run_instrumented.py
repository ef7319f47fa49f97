"""Run a Python answer as `python FILE` would, and report its calls into the repository.

Use: `python /opt/probe/run_instrumented.py FILE` in the folder of FILE. The recorder hears the audit event
`mlbench.answer` and decides whether the text is the known answer. Without a recorder, the file just runs.
"""

import builtins
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mlbench.interface_check.runtime.call_reporter import CallReporter


def main(name: str) -> None:
    path = os.path.abspath(name)
    del sys.argv[0]
    sys.path[0] = os.path.dirname(path)
    with open(path, "rb") as file:
        source = file.read()
    module = type(sys)("__main__")
    module.__dict__.update(__file__=path, __builtins__=builtins, __spec__=None)
    rider: CallReporter | None = None
    listeners: list[Callable[[str, str], None]] = []
    sys.audit("mlbench.answer", path, source, listeners.append)
    if listeners:
        from _mlbench_probe import ast_rewrite, call_reporter  # type: ignore[import-not-found]

        rider = call_reporter.CallReporter("/workspace", path, listeners.pop())
        code = ast_rewrite.instrument(source, path, rider.hook)
        for each in [name for name in sys.modules if name.startswith("_mlbench_probe")]:
            del sys.modules[each]  # the answer cannot change modules that it cannot find
    else:
        code = compile(source, path, "exec", dont_inherit=True)
    sys.modules["__main__"] = module
    exec(code, module.__dict__)
    if rider is not None:
        rider.look()
        rider.claims.keep_results(module.__dict__)


main(sys.argv[1])
