"""The worker of a cluster, in this process: what it refuses, and that it judges as a run does."""

from __future__ import annotations

from dataclasses import replace

from mlbench.cluster.judge_actor import JudgeActor, JudgeConfig, Question
from mlbench.judging.extract import read_reply
from mlbench.sandbox.limits import Limits
from mlbench.source_digest import source_digest
from mlbench.suites.selection import select
from mlbench.suites.suite import load_suite

CONFIG = JudgeConfig("pocket", 10.0, Limits().model_dump(), None, False, False, source_digest())


def test_a_worker_judges_answers_in_their_order() -> None:
    """The event loop was closed with its forgotten context, and no worker could be prepared."""
    suite = load_suite("pocket")
    row = select(suite, "quarter", limit=1)[0]
    name = suite.repository_of(row.github_id).name
    replies = (f"```\n{row.output}\n```", "nothing")
    questions = [Question(reply, row.id, name, read_reply(reply)) for reply in replies]
    worker = JudgeActor(CONFIG)
    assert worker.refusal() == ""
    assert [parts["value"]["interface"] for parts in worker.results(questions)] == [1.0, 0.0]


def test_a_worker_with_other_code_refuses() -> None:
    assert "it has other code of mlbench" in JudgeActor(replace(CONFIG, code="other")).refusal()


def test_a_worker_without_the_suite_refuses_in_one_line() -> None:
    said = JudgeActor(replace(CONFIG, suite="pouch")).refusal()
    assert said.startswith("node ")
    assert "pouch" in said
    assert "\n" not in said


def test_no_method_is_asynchronous() -> None:
    """Ray would run all calls of such an actor at once."""
    import inspect

    assert not [name for name, each in vars(JudgeActor).items() if inspect.iscoroutinefunction(each)]
