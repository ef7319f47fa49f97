"""One repository of a suite, as `suite.yaml` lists it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from mlbench.records import Role
from mlbench.suites.safe_names import Inside, Name


class Repository(BaseModel):
    """One repository of a suite.

    Attributes:
        installed: folder of the importable package, as `pip install -e .` would put it on the path. The package's
            console scripts are then available too.
        test: its shell rows and its Python rows in `full`; if no repository has it, they are shared out evenly.
        catalogue: the files are not in the suite's folder. The entry of this name pins the repository: in the suite's
            own folder `catalogue`, or else in the one that is bundled.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: Name
    github_id: int
    domain: str
    role: Role
    installed: Inside | None = None
    catalogue: bool = False
    test: tuple[int, int] | None = None
