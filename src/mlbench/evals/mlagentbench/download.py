"""Download a problem's published data and check their hashes.

Downloads need the user's consent to the terms, and the user's login.

CACHE/experiments/full/NAME/FILE        as downloaded, or put there by the user
CACHE/experiments/full/NAME/sums.json   SHA-256 of each file when it was first seen
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from mlbench.atomic_write import open_file, write_file
from mlbench.evals.mlagentbench.credentials import login
from mlbench.evals.mlagentbench.problem import PROBLEMS, ResearchProblem
from mlbench.evals.mlagentbench.published_files import Fetched, Full
from mlbench.records import RunError, UsageError
from mlbench.repositories.cache import cache_folder

_SUMS = "sums.json"
_TIMEOUT = httpx.Timeout(60.0, connect=15.0)


def raw_folder(problem: ResearchProblem) -> Path:
    """Return the folder of a problem's downloaded files."""
    own = problem.folder.parent == PROBLEMS
    of = "" if own else f"-{hashlib.sha256(str(problem.folder).encode()).hexdigest()[:8]}"
    return cache_folder("experiments", "full", f"{problem.name}{of}")


def fetched(problem: ResearchProblem, accepted: bool, say: Callable[[str], None] = lambda line: None) -> None:
    """Download the published data. Files that are here already are not requested again.

    Args:
        problem: the research problem.
        accepted: whether the user has accepted the terms.
        say: is called with a line for each download.

    Raises:
        UsageError: no consent, no login, or a file that the user has to put there; says what to do.
        RunError: a file cannot be downloaded, or its hash differs.
    """
    full, folder = _full(problem), raw_folder(problem)
    for name, auth in obtainable(problem, accepted).items():
        say(f"{problem.name}: fetching {full.files[name].url}")
        _fetch(name, full.files[name], folder / name, auth, full)
    known = _sums(folder)
    for name in full.files:
        if name not in known:
            _hold(problem, name)


def obtainable(problem: ResearchProblem, accepted: bool) -> dict[str, httpx.Auth | None]:
    """Return the names of the files that have to be downloaded, each with its login. Nothing is requested.

    Args:
        problem: the research problem.
        accepted: whether the user has accepted the terms.

    Raises:
        UsageError: as `fetched`.
    """
    full, folder = _full(problem), raw_folder(problem)
    missing = {name: file for name, file in full.files.items() if not (folder / name).is_file()}
    for name, file in missing.items():
        if not file.url:
            hint = full.note or full.source
            raise UsageError(f"{problem.name}: {folder / name} is missing; put it there by hand: {hint}")
    if missing and not accepted:
        raise UsageError(
            f"{problem.name}: its data are published at {full.source} under these terms: {full.terms}. "
            "If you accept them, add --accept-terms"
        )
    logins = {file.login: login(file.login, problem.name, full.source) for file in missing.values() if file.login}
    return {name: logins[file.login] if file.login else None for name, file in missing.items()}


def probe_downloads(problem: ResearchProblem, accepted: bool) -> list[str]:
    """Ask for the first bytes of each missing file, as a download would, and return the names of these files.

    Args:
        problem: the research problem.
        accepted: whether the user has accepted the terms.

    Raises:
        UsageError: as `fetched`, or a login is refused.
        RunError: a site cannot be reached, or does not have a file.
    """
    full = _full(problem)
    missing = obtainable(problem, accepted)
    for name, auth in missing.items():
        with _requested(name, full.files[name], raw_folder(problem) / name, auth, full):
            pass
    return list(missing)


def sums(problem: ResearchProblem) -> dict[str, str]:
    """Return the SHA-256 of each file by name, as it was when the file was first seen.

    Raises:
        RunError: a file is missing.
    """
    known = _sums(raw_folder(problem))
    if absent := [name for name in _full(problem).files if name not in known]:
        raise RunError(
            f"{problem.name}: its published {absent[0]} is missing; run mlbench experiment --data {problem.data}"
        )
    return {name: known[name] for name in _full(problem).files}


def held(problem: ResearchProblem) -> Path:
    """Return the folder of the files after checking each against its hash.

    Raises:
        RunError: a file is missing or has changed.
    """
    for name in sums(problem):
        _hold(problem, name)
    return raw_folder(problem)


def _full(problem: ResearchProblem) -> Full:
    if problem.full is None:
        raise UsageError(f"{problem.name}: no published data are described in its task.yaml")
    return problem.full


def _hold(problem: ResearchProblem, name: str) -> None:
    """Compare a file with its hash; record the hash if there is none."""
    folder = raw_folder(problem)
    known = _sums(folder)
    try:
        with (folder / name).open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise RunError(f"{folder / name}: cannot be read: {error.strerror}") from error
    published = _full(problem).files[name].sha256
    wanted = published or known.get(name, found)
    if found != wanted:
        whose = "the published one" if published else "that of the first one"
        wrong = "" if published else f"; if the first one was wrong, remove {folder / _SUMS}"
        raise RunError(
            f"{folder / name}: its SHA-256 is {found}, {whose} is {wanted}: "
            f"it is cut short, or not the same data; remove it to fetch it again{wrong}"
        )
    if known.get(name) != found:
        write_file(folder / _SUMS, json.dumps({**known, name: found}, indent=1))


def _sums(folder: Path) -> dict[str, str]:
    try:
        sums = json.loads((folder / _SUMS).read_text())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise RunError(f"{folder / _SUMS}: is not JSON; remove it, and the hashes are recorded again") from error
    if not isinstance(sums, dict):
        raise RunError(f"{folder / _SUMS}: holds no hashes by name; remove it, and they are recorded again")
    return {str(name): str(value) for name, value in sums.items()}


def _fetch(name: str, file: Fetched, target: Path, auth: httpx.Auth | None, full: Full) -> None:
    """Download a file, then move it into place."""
    try:
        with open_file(target) as out, _requested(name, file, target, auth, full) as answer:
            for chunk in answer.iter_bytes(1 << 20):
                out.write(chunk)
    except OSError as error:
        raise RunError(f"{target}: cannot be written: {error.strerror}") from error


@contextmanager
def _requested(name: str, file: Fetched, target: Path, auth: httpx.Auth | None, full: Full) -> Iterator[httpx.Response]:
    """Yield the answer to the request for a file. The login goes to the URL's own host only.

    Raises:
        UsageError: the login is refused.
        RunError: the site does not have the file, or cannot be reached.
    """
    plain = {"Accept-Encoding": "identity"}
    try:
        with (
            httpx.Client(auth=auth, headers=plain, follow_redirects=True, timeout=_TIMEOUT) as client,
            client.stream("GET", file.url) as answer,
        ):
            if answer.status_code in (401, 403):
                raise UsageError(
                    f"{name}: {answer.url.host} answers HTTP {answer.status_code}: the login is refused, "
                    f"or its account has not accepted the terms at {full.source}"
                )
            if answer.status_code != 200:
                raise RunError(
                    f"{name}: {file.url} answers HTTP {answer.status_code} {answer.reason_phrase}; "
                    f"{full.source} may say why; the file can also be put at {target} by hand"
                )
            yield answer
    except httpx.HTTPError as error:
        raise RunError(
            f"{name}: {file.url} cannot be downloaded: {str(error) or type(error).__name__}; "
            f"try again, or put it at {target} by hand"
        ) from error
