"""Actions that run scripts, ask a person, or end the work."""

from __future__ import annotations

from inspect_ai.util import input_screen

from mlbench.evals.mlagentbench.actions.claimed_score import keep_claim
from mlbench.evals.mlagentbench.actions.files import Action, Here
from mlbench.evals.mlagentbench.actions.observations import ActionError, ActionFault, Observation, named
from mlbench.evals.mlagentbench.actions.workspace_files import file_at

_WORDS = 100_000  # characters of arguments


def script_actions(here: Here) -> list[Action]:
    """Return the actions that run scripts in the running sample's workspace."""

    async def execute_script(
        script_name: str, arguments: list[str] | None = None, background: bool = False
    ) -> Observation:
        """Run a script in the workspace's root, Python or (`.sh`) Bash, and see what it prints.

        What it leaves running is ended with it.

        Args:
            script_name: the script, from the workspace's root.
            arguments: words that it is given.
            background: do not wait for its end; Script Status and Stop Script take the handle that is returned.
        """
        table = await here()
        words = arguments or []
        if sum(map(len, words)) > _WORDS or len(words) > 1_000 or any("\0" in word for word in words):
            raise ActionError(ActionFault.INVALID_INPUT, "the arguments are too long, or hold a NUL character")
        path = (await file_at(table.jail, script_name, 0)).path
        command = ["bash" if path.endswith(".sh") else "python", path, *words]
        if background:
            handle = await table.scripts.begin(command)
            return Observation(f"{named(script_name)} runs in the background; its handle is {handle}")
        return await table.scripts.run(command)

    async def python_repl(command: str) -> Observation:
        """Run some Python in the workspace, and see what it prints. Names are not kept from one call to the next.

        Args:
            command: the Python statements.
        """
        table = await here()
        if len(command) > _WORDS or "\0" in command:
            raise ActionError(ActionFault.INVALID_INPUT, "the command is too long, or holds a NUL character")
        return await table.scripts.run(["python", "-c", command])

    async def script_status(handle: str) -> Observation:
        """What a script in the background has printed so far, and whether it still runs.

        Args:
            handle: what Execute Script returned.
        """
        return (await here()).scripts.status(handle)

    async def stop_script(handle: str) -> Observation:
        """End a script in the background, with everything that it started.

        Args:
            handle: what Execute Script returned.
        """
        return await (await here()).scripts.stop(handle)

    async def final_answer(
        final_answer: str, claimed_score: float | None = None, metric: str = "", split: str = ""
    ) -> Observation:
        """End the work. What stands in the workspace is graded; scripts that still run are ended.

        Args:
            final_answer: what was done, in words, which are not checked.
            claimed_score: the score that it reached, as measured; it is compared with the graded one.
            metric: name of the score's metric; empty for the problem's own.
            split: the data on which it was measured, for example validation, hold-out or train.
        """
        keep_claim(claimed_score, metric, split)
        await (await here()).scripts.stop_all()
        return Observation("your final answer is kept; what stands in the workspace is graded")

    return [execute_script, python_repl, script_status, stop_script, final_answer]


async def request_help(request: str) -> Observation:
    """Ask the person who watches.

    Args:
        request: what is needed, in words.
    """
    with input_screen(header="An agent asks for help") as console:
        console.print(named(request), markup=False)
        answer = console.input("answer: ")
    return Observation(answer.strip() or "nobody answered")
