"""Describe the published data of a problem: files, terms, logins, known scores."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, model_validator

SITES = {"kaggle": "www.kaggle.com", "huggingface": "huggingface.co"}
"""Hosts that a login may be sent to."""


class StrictModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class KnownSeed(StrictModel):
    """The starter's known score: its mean over seeds, and by how much a run may differ (absolute)."""

    mean: float
    spread: float = Field(ge=0)
    seeds: int = Field(ge=1)


class ProblemBudget(StrictModel):
    """What an agent may use, as published (50 steps, 5 hours), and the seconds of one script."""

    steps: int = Field(default=50, gt=0)
    seconds: float = Field(default=18000.0, gt=0)
    script_seconds: float = Field(default=600.0, gt=0)


class Fetched(StrictModel):
    """A file of the published data: one GET request, with the user's login if needed.

    Without a URL the user puts the file there. Without a published hash, the hash of the first download is recorded,
    and other contents are refused.
    """

    url: str = Field(default="", pattern=r"^(https://.+|http://(127\.0\.0\.1|localhost)[:/].+|)$")
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    login: Literal["kaggle", "huggingface"] | None = None

    @model_validator(mode="after")
    def _login_is_of_its_site(self) -> Fetched:
        """Refuse a problem that would send a login to another host."""
        host = urlsplit(self.url).hostname
        if self.login and host not in (SITES[self.login], "127.0.0.1", "localhost"):
            raise ValueError(f"the login of {self.login} is for {SITES[self.login]} alone, not for {host}")
        return self


class Full(StrictModel):
    """The published data: source, terms and hashes; `hidden/full.py` prepares them.

    Attributes:
        source: a web page for people.
        terms: the licence, or whose rules apply.
        files: downloads by name; none if the data are generated.
        bounds, starter, trivial: the problem's, if they differ from those of the small data.
        split: what the published test part is.
        unavailable: why the data are not offered.
    """

    source: str
    terms: str
    files: dict[Annotated[str, Field(pattern=r"^\w[\w.-]*$")], Fetched] = Field(default_factory=dict)
    bounds: ProblemBudget | None = None
    starter: KnownSeed | None = None
    trivial: float | None = None
    note: str = ""
    split: str = ""
    unavailable: str = ""
