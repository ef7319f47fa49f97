"""sqlite3: a database that a program makes before it parses is kept in memory where nothing can be written.

As with any other written file, a program that then fails is asked again in a writable jail.
"""

from __future__ import annotations

import os
from typing import Any

MODULES = ("sqlite3",)


def install(module: Any, recorder: Any) -> None:
    connect = module.connect

    def connect_or_pretend(database: Any, *args: Any, **named: Any) -> Any:
        try:
            return connect(database, *args, **named)
        except module.OperationalError:
            folder = os.path.dirname(os.path.abspath(str(database)))
            is_new = folder in recorder.made or (os.path.isdir(folder) and not os.path.exists(database))
            if named.get("uri") or not is_new:
                raise
            recorder.pretended = True
            return connect(":memory:", *args, **named)

    module.connect = connect_or_pretend
