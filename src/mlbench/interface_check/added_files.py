"""Add the files of a submission to a jail of the interface check."""

from __future__ import annotations

import time
from pathlib import Path

from mlbench.interface_check.jail_files import written_since
from mlbench.reasons import Reason
from mlbench.records import Check, CheckStatus
from mlbench.sandbox.jail import Jail
from mlbench.sandbox.submission import unpack


async def added_files_fault(jail: Jail, repository: Path, archive: bytes) -> Check | None:
    """Unpack a submission's files in a writable jail; return the check if they alone decide it, else None.

    Args:
        jail: the jail, which belongs to the submission.
        repository: the repository on the host, only read.
        archive: the files as a `.tgz`.

    Raises:
        SandboxUnavailableError: the jail failed.
    """
    began = time.time()
    if fault := await unpack(jail, archive):
        return Check(CheckStatus.REJECTED, Reason.CANNOT_FOLLOW, fault)
    files = await written_since(jail, repository, began, restores=False)
    if not files.complete:
        return Check(CheckStatus.UNDECIDED, Reason.CANNOT_FOLLOW, "it leaves too many files to look at")
    if changed := files.changed_code:
        return Check(CheckStatus.REJECTED, Reason.TOUCHES_CODE, f"the submission changes {changed}")
    return None
