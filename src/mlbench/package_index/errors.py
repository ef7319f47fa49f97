"""The error of a request that the package index refuses."""

from __future__ import annotations


class PackageIndexError(Exception):
    """A request that cannot be answered with the page or file it asked for.

    Attributes:
        status: HTTP status. From 500 on, the fault is the upstream index's or this machine's, not the sandbox's.
        why: one line for the sandbox. It names nothing of this machine, such as a private index.
        detail: what `why` leaves out, for the user of this machine.
    """

    def __init__(self, status: int, why: str, detail: str = "") -> None:
        super().__init__(f"{why}: {detail}" if detail else why)
        self.status, self.why, self.detail = status, why, detail
