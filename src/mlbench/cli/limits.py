"""Limits and budgets from options: MiB become bytes, and impossible values are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlbench.cli.options import AgentBudgetOptions, BudgetOptions, JudgeOptions, given

if TYPE_CHECKING:
    from mlbench.run_config import Budget
    from mlbench.sandbox.limits import Limits


def judge_limits(options: JudgeOptions) -> Limits:
    """Return the limits of the sandbox in which an answer runs.

    Raises:
        UsageError: a limit is not above zero.
    """
    from mlbench.run_config import limits_of, mib

    return limits_of(
        given(
            seconds=options.run_limit,
            memory=mib(options.memory_limit),
            written=mib(options.disk_limit),
            processes=options.process_limit,
            output=mib(options.output_limit),
        )
    )


def budget(options: BudgetOptions | AgentBudgetOptions) -> Budget:
    """Return the budget of one sample; a limit that was not given is None.

    Raises:
        UsageError: a limit is not above zero.
    """
    from mlbench.run_config import Budget
    from mlbench.sandbox.limits import checked_bounds

    return checked_bounds(
        Budget,
        given(
            steps=getattr(options, "step_limit", None),
            tokens=options.token_limit,
            cost=options.cost_limit,
            seconds=options.time_limit,
        ),
    )
