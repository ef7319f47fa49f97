"""`mlbench doctor`: check whether this machine has what mlbench needs."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON array instead of text.")] = False,
) -> None:
    """Check whether this machine has everything that mlbench needs.

    Looks at the sandbox, the disk, the caches, the optional packages, and the names of API keys (never their values).
    Each missing item is shown with the command that installs it.

    Exit codes: 0 if everything required is there, 1 if something is missing.
    """
    from dataclasses import asdict

    from mlbench.doctor import State, examine

    findings = []
    for finding in examine():
        findings.append(finding)
        if not as_json:
            print(f"{finding.state.value:<8} {finding.name:<16} {finding.detail}", flush=True)
            if finding.remedy:
                print(f"{'':<25} → {finding.remedy}", flush=True)
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings], indent=2, ensure_ascii=False))
    raise typer.Exit(any(finding.state is State.MISSING for finding in findings))
