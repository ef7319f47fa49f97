"""`metadata.yaml` of a submission: who answered which rows, and how."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mlbench.records import UsageError
from mlbench.results.leaderboard.metadata_fields import Filled, Line, Web
from mlbench.results.leaderboard.read_file import first_fault, read_small
from mlbench.suites.safe_names import Name

METADATA = "metadata.yaml"
_MOST_BYTES = 64 * 1024


class SubmissionMetadata(BaseModel):
    """What a submission says about itself.

    Attributes:
        name: the entry's name on the page.
        date: when it was answered.
        model: PROVIDER/NAME; empty if no model was asked.
        agent: empty if a model answered.
        setting: what the model was shown; of an agent, the agent's name.
        k: attempts a row.
        rows: the `id`s of the answered rows; None for the whole split.
        url: a page about the model or agent.
        contact: whom to ask about the submission.
        open_weights: whether the model's weights can be downloaded; None if unknown.
        cutoff: end of the model's training data; None if unknown.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: Filled
    date: datetime.date
    model: Line = ""
    agent: Line = ""
    suite: Name
    suite_version: Filled
    split: Filled
    setting: Filled
    k: int = Field(ge=1, le=1000)
    rows: tuple[Annotated[int, Field(ge=0, le=2**63 - 1)], ...] | None = None
    organisation: Line = ""
    url: Web = ""
    contact: Line = ""
    open_weights: bool | None = None
    cutoff: datetime.date | None = None
    notes: Line = ""

    @property
    def board(self) -> tuple[str, str, str]:
        """Suite, suite version and split; entries are ranked only within one."""
        return self.suite, self.suite_version, self.split


def read_metadata(folder: Path) -> SubmissionMetadata:
    """Read a submission's metadata.

    Raises:
        UsageError: the file is missing, is not YAML, or a field is missing, unknown or not valid.
    """
    file = folder / METADATA
    try:
        text = read_small(file, _MOST_BYTES).decode()
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
            raise ValueError("it holds references, which could grow without bound")
        content = yaml.safe_load(text)
        return SubmissionMetadata.model_validate(content)
    except ValidationError as error:
        raise UsageError(f"{file}: {first_fault(error)}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UsageError(f"{file}: is not YAML in UTF-8 ({' '.join(str(error).split()):.120})") from error


def write_metadata(metadata: SubmissionMetadata) -> str:
    """Return the metadata as YAML; fields without a value are left out."""
    known = metadata.model_dump(mode="json", exclude_defaults=True)
    known |= {name: getattr(metadata, name) for name in ("date", "cutoff") if known.get(name)}
    return yaml.safe_dump(known, sort_keys=False, allow_unicode=True, width=100, default_flow_style=None)
