"""`mlbench doctor`: whether this machine has what mlbench needs."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print a JSON array of findings.")] = False) -> None:
    """Look at this machine: sandbox, disk, caches, extras, names of keys; each fault with the line that mends it.

    Exit code 0: everything that is needed is there; 1: something is missing.
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
