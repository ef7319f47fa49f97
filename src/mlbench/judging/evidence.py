"""The evidence on one answer, as the policies use it."""

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
    """The evidence on one answer; None stands for what has not happened.

    Attributes:
        check: the interface check.
        expectation: what is right.
        execution: the answer's run.
        expected: the reference's outcome; None also if the recipe declares none.
        proof: if the reference has a free input, why the answer's results are not what the repository makes of the
            answer's input; empty if they are.
        shows: required arguments for which the claimed value would change the reference's outcome.
        of_run: what is right in a run, if the reference's run makes other calls than its check; see `in_a_run`.
        replayed: the claimed invocation that was run in the reference's place; empty if the reference itself was.
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
    of_run: Expectation | None = None

    @property
    def in_a_run(self) -> Expectation | None:
        """What witnessed programs and calls are compared with."""
        return self.of_run or self.expectation

    @cached_property
    def left(self) -> Compared | None:
        """The answer's outcome compared with the expected one; None if there is nothing to compare."""
        if self.expected is None or self.execution is None:
            return None
        return compared(self.expected, self.execution, self.typed)

    @property
    def typed(self) -> str:
        """The answer's own text if it is Python: a figure that it contains proves no work."""
        return self.candidate.code if self.sample.kind == "python" else ""

    @property
    def comparison(self) -> Comparison | None:
        """The checked configuration compared with the reference's.

        None without a check or a valid reference.
        """
        if self.check is None or self.expectation is None or self.expectation.fault:
            return None
        return self.compare(self.expectation, self.check.invocations)

    def compare(
        self, expectation: Expectation, invocations: Iterable[Invocation], by_outcome: bool = False
    ) -> Comparison:
        """Compare invocations, checked or witnessed, with an expectation.

        Args:
            expectation: what is right.
            invocations: of the answer.
            by_outcome: the outcome is compared as well, so paths may differ.
        """
        return expectation.compare(invocations, token_hits(self.candidate, expectation.written).by_name, by_outcome)

    def compare_claim(self, expectation: Expectation, invocations: Iterable[Invocation]) -> Comparison:
        """Compare a claim that may be replayed.

        Of the documentation only examples count. Paths count as well.
        """
        return self.compare(replace(expectation, examples_only=True), invocations)
