"""A repository that cannot be pinned is one clear line."""

from __future__ import annotations

import pytest

from mlbench.records import RunError, UsageError
from mlbench.repositories import pinning
from mlbench.repositories.git import GitError


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("fatal: could not read Username for 'https://github.com': terminal prompts disabled", "it is private or does"),
        ("remote: Repository not found.", "it is private or does not exist"),
        (
            "fatal: unable to access 'https://github.com/a/b/': The requested URL returned error: 403",
            "it is private or",
        ),
        ("fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com", "without a network"),
    ],
)
def test_what_git_says_of_an_address_is_told_in_plain_words(
    said: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*words: str) -> bytes:
        if "fetch" in words:
            raise GitError(f"git says: {said}")
        return b""

    monkeypatch.setattr(pinning, "git", refuse)
    with pytest.raises(RunError) as caught:
        pinning.pin("https://github.com/a/b")
    assert line in str(caught.value) and str(caught.value).startswith("https://github.com/a/b: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["2025-13-01", "yesterday", "", "2025"])
def test_a_day_that_is_none_is_refused(text: str) -> None:
    assert pinning.day_of("2025-01-31") == "2025-01-31"
    with pytest.raises(UsageError, match="a date such as"):
        pinning.day_of(text)
