"""The server of the page for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from http import HTTPStatus
from pathlib import Path

from mlbench.human.service import HumanService
from mlbench.human.session import HumanSession
from mlbench.human.session_records import RowState, SessionPlan
from mlbench.records import RunError, UsageError
from mlbench.web.local_page import local_page
from mlbench.web.local_server import JsonReply, LocalServer, refusal

_SCRIPTS = ("session.js", "clock.js", "row.js", "events.js")


def serve_session(folder: Path, plan: SessionPlan, port: int = 0, open_browser: bool = True) -> HumanSession:
    """Serve a session until Ctrl-C; return it with what was answered.

    Args:
        folder: the session's folder; a session that is there is continued.
        plan: what is asked.
        port: 0 for any free port.
        open_browser: whether the page is opened.

    Raises:
        UsageError: the folder or the port cannot be used.
    """
    session = HumanSession.begin(folder, plan)
    try:
        with HumanServer(HumanService(session), port) as server:
            server.run(f"{len(plan.rows)} rows for {plan.person}", open_browser)
    finally:
        session.close()
    return session


def summary_of(session: HumanSession) -> Iterator[str]:
    """Yield lines that say how far a session is."""
    works = [session.work(row) for row in session.plan.rows]
    counts = Counter(work.state for work in works)
    parts = ", ".join(f"{counts[state]} {state.value}" for state in RowState if counts[state])
    minutes = sum(work.seconds for work in works) / 60
    yield f"{len(works)} rows: {parts}; {minutes:.1f} minutes of active time"


class HumanServer(LocalServer):
    """Serves one session on this machine's loopback address.

    Raises:
        UsageError: the port is taken.
    """

    def __init__(self, service: HumanService, port: int = 0) -> None:
        self.service = service
        super().__init__(local_page("mlbench.human", "human", _SCRIPTS), ["work"], port)

    def read(self, name: str, query: Mapping[str, str]) -> JsonReply | None:
        if name == "session":
            return JsonReply(HTTPStatus.OK, asdict(self.service.overview()))
        if name != "row":
            return None
        row = query.get("id", "")
        try:
            if not (row.isascii() and row.isdecimal() and len(row) < 19):
                raise UsageError("there is no such row")
            return JsonReply(HTTPStatus.OK, asdict(self.service.view(int(row))))
        except UsageError as error:
            return refusal(HTTPStatus.NOT_FOUND, str(error))
        except RunError as error:
            return refusal(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))

    def change(self, name: str, body: bytes) -> JsonReply:
        return JsonReply(*self.service.change(body))
