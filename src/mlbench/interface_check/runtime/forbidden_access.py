"""Find uses of the interpreter's internals, of other processes or foreign modules in a candidate's text."""

from __future__ import annotations

import ast

_REACHING = {
    "sys": {"settrace", "setprofile", "_getframe", "modules", "meta_path", "path_hooks", "addaudithook", "exc_info"},
    "os": {"_exit", "fork", "kill", "killpg", "abort", "system", "popen"},
    "gc": set(), "ctypes": set(), "_ctypes": set(), "socket": set(), "_socket": set(), "builtins": set(),
    "signal": set(), "subprocess": set(), "multiprocessing": set(), "threading": {"settrace", "setprofile"},
    "inspect": {"currentframe", "stack"}, "pty": set(), "code": set(), "faulthandler": set(), "atexit": set(),
    "importlib": {"reload", "invalidate_caches"},
}  # fmt: skip


def reaching(tree: ast.AST) -> list[str]:
    """List the names in a candidate's text that no use of the repository as a library needs."""
    modules: dict[str, str] = {}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules.update({one.asname or one.name.partition(".")[0]: one.name for one in node.names})
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.update({one.asname or one.name: f"{node.module}.{one.name}" for one in node.names})
    for name in modules.values():
        head, _, rest = name.partition(".")
        if head in _REACHING and (not _REACHING[head] or rest in _REACHING[head]):
            found.append(name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            base = _base(node)
            if isinstance(node.ctx, (ast.Store, ast.Del)) and base in modules:
                found.append(f"assigns {ast.unparse(node)}")
            elif base in modules and node.attr in _REACHING.get(modules[base], ()):
                found.append(f"{modules[base]}.{node.attr}")
            elif base in modules and modules[base] == "os" and node.attr.startswith(("exec", "spawn", "posix_spawn")):
                found.append(f"os.{node.attr}")
            elif node.attr.startswith("__") and node.attr not in ("__init__", "__name__", "__doc__", "__version__"):
                found.append(node.attr)
        elif isinstance(node, ast.Name) and node.id in (
            "__builtins__",
            "exec",
            "eval",
            "compile",
            "setattr",
            "globals",
        ):
            found.append(node.id)
    return list(dict.fromkeys(found))


def _base(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
