"""Combine invocations into one check, and the checks under several random seeds into one. Nothing runs here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlbench.interface_check.launches import Starts
from mlbench.reasons import CheckReason, Reason
from mlbench.records import Check, CheckStatus, Invocation
from mlbench.shell.shell_static import ShellFault

MOST_PROGRAMS = 50
UNDECIDED = frozenset({Reason.CANNOT_FOLLOW, Reason.TIME_LIMIT, Reason.MEMORY_LIMIT, Reason.READS_INPUT})
_GRAVITY = (CheckStatus.REJECTED, CheckStatus.BROKEN, CheckStatus.UNDECIDED)
_NOT_NEUTRAL = (Reason.REMOTE_CODE, Reason.CANNOT_FOLLOW, Reason.CALL_DOES_NOT_BIND)


@dataclass(frozen=True)
class CombinedTrace:
    """A check, with the path, the line and the command of each program that the text starts."""

    check: Check
    places: tuple[tuple[str, int, str], ...] = ()


def steady(found: Sequence[CombinedTrace]) -> Check:
    """Combine the checks under several random seeds; `unsteady` if the started programs differ.

    If two branches start different programs, they cannot both be right. If only the words differ, all count.
    """
    checks = [each.check for each in found]
    if len({each.places for each in found}) > 1:
        message = "which programs it starts hangs on chance or on the clock"
        return Check(CheckStatus.REJECTED, Reason.UNSTEADY, message, checks[0].invocations)
    for status in _GRAVITY:
        for check in checks:
            if check.status is status:
                return check
    others = {(each.program, each.argv, each.cwd): each for check in checks[1:] for each in check.invocations}
    for each in checks[0].invocations:
        others.pop((each.program, each.argv, each.cwd), None)
    return Check(CheckStatus.ACCEPTED, invocations=(*checks[0].invocations, *others.values()))


def whole(found: Starts, invocations: Sequence[Invocation]) -> Check:
    """Combine the invocations of a text. One refusal refuses the text; a text that cannot be followed is undecided."""
    for fault in found.faults:
        if fault.reason in UNDECIDED:
            return Check(CheckStatus.UNDECIDED, fault.reason, fault.message, tuple(invocations))
    check = decided(invocations, found.faults)
    if check.status is not CheckStatus.ACCEPTED and invocations:
        return check
    for fault in found.faults:
        if fault.reason in (Reason.SHELL_SYNTAX, Reason.UNRESOLVED_VARIABLE) or (
            fault.reason == Reason.PASTED_CHARACTERS and not invocations
        ):
            return Check(CheckStatus.REJECTED, fault.reason, fault.message, check.invocations)
    if not invocations:
        faults = [
            *found.faults,
            ShellFault(Reason.NOT_A_CALL_OF_THE_REPOSITORY, "it starts no program of the repository"),
        ]
        return Check(CheckStatus.REJECTED, faults[0].reason, faults[0].message)
    if len(found.starts) > MOST_PROGRAMS:
        message = f"it starts {len(found.starts)} programs; {MOST_PROGRAMS} were looked at"
        return Check(CheckStatus.UNDECIDED, Reason.CANNOT_FOLLOW, message, check.invocations)
    return check


def decided(invocations: Sequence[Invocation], faults: Sequence[ShellFault] = ()) -> Check:
    """The gravest status of the invocations. Neutral ones count only if there are no others."""
    counted = tuple(each for each in invocations if not _is_neutral(each)) or tuple(invocations)
    for status in _GRAVITY:
        for each in counted:
            if each.status is status:
                reason, message = _sharper(each, faults)
                return Check(status, reason, message, counted)
    return Check(CheckStatus.ACCEPTED, invocations=counted)


def _is_neutral(invocation: Invocation) -> bool:
    """Whether it is code that calls nothing of the repository, or a request for a program's help."""
    if invocation.how == "code":
        return not invocation.calls and invocation.reason not in _NOT_NEUTRAL
    return invocation.status is CheckStatus.REJECTED and invocation.reason == Reason.HELP


def _sharper(refused: Invocation, faults: Sequence[ShellFault]) -> tuple[CheckReason, str]:
    """The cause that the text itself shows: characters pasted from a document, or a placeholder."""
    for fault in faults:
        if fault.reason in (Reason.PASTED_CHARACTERS, Reason.PLACEHOLDER):
            return fault.reason, f"{fault.message}; {refused.message}"
    return refused.reason, refused.message


def status_of(fault: ShellFault) -> CheckStatus:
    """The status that follows from a fault of the text."""
    return CheckStatus.UNDECIDED if fault.reason in UNDECIDED else CheckStatus.REJECTED
