"""Chooses the truth of a stub such that a program goes on: where one branch of a test only refuses, it is not taken.

`assert torch.cuda.is_available()`, and `if not torch.cuda.is_available(): raise RuntimeError`, say nothing of the
command line.
"""

from __future__ import annotations

import opcode

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    import dis
    import types
    from collections.abc import Sequence

_ASSERTION = "LOAD_ASSERTION_ERROR"
_ENDS = {at for name, at in opcode.opmap.items() if name.startswith(("STORE_", "RETURN_", "IMPORT_", "RAISE_"))}
"""Instructions behind which another statement begins."""
_BETWEEN = {"COMPARE_OP", "CONTAINS_OP", "TO_BOOL"}
"""What may stand between a value and the jump that tests it."""
_EXITS = {"exit", "_exit", "quit"}
_LONGEST = 80  # instructions of a branch that only refuses
_chosen: dict[tuple[types.CodeType, int], bool | None] = {}


def truth(frame: types.FrameType, usual: bool) -> bool:
    """The truth with which the calling instruction goes on; `usual` if both branches do, or none.

    Args:
        frame: of the code that asks for the truth of a stub.
        usual: what a stub is elsewhere.
    """
    key = frame.f_code, frame.f_lasti
    if key not in _chosen:
        _chosen[key] = _truth(*key)
    found = _chosen[key]
    return usual if found is None else found


def is_asserted(frame: types.FrameType) -> bool:
    """Whether the calling instruction is in the condition of an `assert`.

    `assert minimum <= installed < maximum` compares versions that the stub of a function returned.
    """
    code, assertion = frame.f_code.co_code, opcode.opmap.get(_ASSERTION)
    for at in range(max(frame.f_lasti, 0), len(code), 2):
        if code[at] == assertion or code[at] in _ENDS:
            return code[at] == assertion
    return False


def _truth(code: types.CodeType, at: int) -> bool | None:
    import dis

    steps = [each for each in dis.get_instructions(code) if each.opname not in ("CACHE", "EXTENDED_ARG", "PRECALL")]
    place = next((place for place, each in enumerate(steps) if each.offset >= at), len(steps))
    if place < len(steps) and steps[place].opname.startswith("CALL"):  # `bool(...)`, `isclass(...)`
        place += 1
    is_inverted = False
    while place < len(steps) and (step := steps[place]).opname in _BETWEEN:
        is_inverted |= step.argval == "!=" or (step.opname == "CONTAINS_OP" and step.arg == 1)
        place += 1
    if place >= len(steps) or "_JUMP_" not in steps[place].opname:
        return None
    jump = steps[place]
    if not jump.opname.endswith(("IF_TRUE", "IF_FALSE")):
        return None
    there = next((place for place, each in enumerate(steps) if each.offset == jump.argval), len(steps))
    refuses_here, refuses_there = _refuses(steps[place + 1 :]), _refuses(steps[there:])
    if refuses_here == refuses_there:
        return None
    jumps_if = jump.opname.endswith("IF_TRUE")
    return (jumps_if == refuses_here) != is_inverted


def _refuses(steps: Sequence[dis.Instruction]) -> bool:
    """Whether some instructions raise an exception or end the program, whatever happens."""
    for each in steps[:_LONGEST]:
        if each.opname in (_ASSERTION, "RAISE_VARARGS"):
            return True
        if each.opname.startswith("LOAD_") and each.argval in _EXITS:
            return True
        if "JUMP" in each.opname or each.opname.startswith(("RETURN_", "FOR_ITER", "SEND", "YIELD_")):
            return False
    return False
