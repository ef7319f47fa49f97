"""Programs that make folders and files before they parse, where nothing can be written."""

from pathlib import Path
from typing import Any

import anyio

from mlbench.interface_check.check_server import CheckEnv, CheckServer

PROGRAMS = Path(__file__).parent / "parsers" / "programs"


def ask(*lines: str) -> list[dict[str, Any]]:
    async def asked() -> list[dict[str, Any]]:
        server = await CheckServer.start(CheckEnv(PROGRAMS))
        try:
            requests = [{"do": "program", "run": "file", "cwd": "/workspace", "env": {}} for _ in lines]
            words = [line.split() for line in lines]
            return [
                await server.ask({**request, "target": program, "argv": argv})
                for request, (program, *argv) in zip(requests, words, strict=True)
            ]
        finally:
            await server.close()

    return anyio.run(asked)


def test_a_program_that_makes_folders_first_is_asked_once() -> None:
    """Each question about such a program took a jail of its own, and 200 programs of dgl are such."""
    good, bad = ask("writes_first.py --depth 3", "writes_first.py --width 3")
    assert (good["status"], good["configuration"]) == ("accepted", {"depth": 3})
    assert (bad["status"], bad["reason"]) == ("rejected", "unknown-argument")
    assert "wrote" not in good and "wrote" not in bad


def test_a_program_that_looks_at_what_it_made_is_asked_where_it_can_write() -> None:
    [answer] = ask("writes_and_looks.py --depth 3")
    assert answer["wrote"] is True
    assert not (PROGRAMS / "made").exists()


def test_where_no_jail_lets_it_write_it_is_not_asked_again() -> None:
    """absl names its process in /proc; what then raised for a reason of its own was undecided: `it cannot write`."""
    [answer] = ask("names_itself.py --depth 4")
    assert (answer["status"], answer["reason"]) == ("rejected", "raised")
    assert "wrote" not in answer


def test_a_download_that_fails_is_no_fault_of_the_words_whatever_it_leads_to() -> None:
    [answer] = ask("download_program.py --path data")
    assert (answer["status"], answer["configuration"]) == ("accepted", {"path": "data"})


def test_a_database_that_is_not_there_is_no_fault_of_the_words() -> None:
    """As a file of data is, which is downloaded before: the words were refused for it."""
    [answer] = ask("database_program.py --pieces elsewhere/pieces.db")
    assert (answer["status"], answer["configuration"]) == ("accepted", {"pieces": "elsewhere/pieces.db"})
    assert "unable to open database file" in answer["unchecked"][0]
