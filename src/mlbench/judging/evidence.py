"""What is known of one answer, as the policies see it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from mlbench.judging.arguments import token_hits
from mlbench.judging.compare_config import Expectation
from mlbench.judging.comparison import Comparison
from mlbench.judging.outcomes import Compared, Expected, compared
from mlbench.records import Candidate, Check, Execution, Invocation, Sample


@dataclass(frozen=True)
class AnswerEvidence:
    """What is known of one answer. What is None has not happened.

    Attributes:
        expected: what the reference leaves behind; None also where its recipe declares nothing.
        replayed: the claimed invocation that `expected` was left by in the reference's place; empty if the reference.
        proof: of a reference with a free input, why what the answer's calls returned is not what the repository makes
            of their input; empty where it is.
        shows: required arguments whose claimed value would make the reference leave something else.
    """

    sample: Sample
    candidate: Candidate
    check: Check | None = None
    expectation: Expectation | None = None
    execution: Execution | None = None
    expected: Expected | None = None
    proof: str | None = None
    shows: frozenset[str] = frozenset()
    replayed: str = ""

    @cached_property
    def left(self) -> Compared | None:
        """What was left behind against what was expected; None if nothing was expected or run."""
        if self.expected is None or self.execution is None:
            return None
        return compared(self.expected, self.execution, self.typed)

    @property
    def typed(self) -> str:
        """The answer's own text, where the sample has not told it what it says."""
        return self.candidate.code if self.sample.kind == "python" else ""

    @property
    def comparison(self) -> Comparison | None:
        """The checked candidate against the reference."""
        if self.check is None or self.expectation is None or self.expectation.fault:
            return None
        return self.compare(self.expectation, self.check.invocations)

    def compare(
        self, expectation: Expectation, invocations: Iterable[Invocation], by_outcome: bool = False
    ) -> Comparison:
        """What the candidate starts, as checked or as witnessed, against what is right."""
        return expectation.compare(invocations, token_hits(self.candidate, expectation.written).by_name, by_outcome)

    def compare_claim(self, expectation: Expectation, invocations: Iterable[Invocation]) -> Comparison:
        """A claim that may be replayed: of the documentation only examples count; paths count as well."""
        return self.compare(replace(expectation, examples_only=True), invocations)
