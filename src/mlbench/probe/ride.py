"""Runs a Python answer as `python FILE` would, with its calls into the repository reported where it is witnessed.

`python /opt/probe/ride.py FILE` in the folder of FILE. The witness decides whether the text is the answer that was
given
(the audit event `mlbench.answer`); where there is none, the file just runs.
"""

import builtins
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def main(name: str) -> None:
    path = os.path.abspath(name)
    sys.argv = [name]
    sys.path[0] = os.path.dirname(path)
    with open(path, "rb") as file:
        source = file.read()
    module = type(sys)("__main__")
    module.__dict__.update(__file__=path, __builtins__=builtins, __spec__=None)
    listeners: list[Callable[[str, str], None]] = []
    sys.audit("mlbench.answer", path, source, listeners.append)
    if listeners:
        import json

        from _mlbench_probe.instrument import HOOK, instrument, recording  # type: ignore[import-not-found]

        send = listeners[0]
        code = instrument(source, path)
        module.__dict__[HOOK] = recording("/workspace", path, lambda call: send("call", json.dumps(call)))
    else:
        code = compile(source, path, "exec", dont_inherit=True)
    sys.modules["__main__"] = module
    exec(code, module.__dict__)


main(sys.argv[1])
