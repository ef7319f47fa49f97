"""Run OpenHands by its SDK: the default agent with terminal, file editor and task list."""

import os
import sys
import warnings
from pathlib import Path

os.environ.update(OPENHANDS_SUPPRESS_BANNER="1", LOG_LEVEL="WARNING")
os.environ["OH_TERMINAL_PROCESS_PRIORITY"] = "none"  # else its commands run at low priority, behind all other samples
ROUNDS = 10_000  # the benchmark sets the limits
TERMINAL, PLAIN = "terminal", {"terminal_type": "subprocess"}


def quiet() -> None:
    """Switch off paste marks, which the plain terminal would print around each output."""
    (Path.home() / ".inputrc").write_text("set enable-bracketed-paste off\n")


def main() -> None:
    """Read the task, run the agent, and print why it ended."""
    from openhands.sdk import LLM, LocalConversation, Tool  # type: ignore[import-not-found]
    from openhands.tools.preset.default import get_default_agent  # type: ignore[import-not-found]

    proxy = os.environ["OPENAI_BASE_URL"]
    llm = LLM(model="openai/inspect", base_url=proxy, api_key="none", usage_id="agent", num_retries=2)
    agent = get_default_agent(llm, cli_mode=True)
    # by default it uses tmux if that is installed; the plain terminal is the same on every machine
    tools = [Tool(name=tool.name, params=PLAIN if tool.name == TERMINAL else tool.params) for tool in agent.tools]
    agent = agent.model_copy(update={"tools": tools})
    talk = LocalConversation(agent, str(Path.cwd()), max_iteration_per_run=ROUNDS, visualizer=None)
    try:
        talk.send_message(sys.stdin.read())
        talk.run()
        status = talk.state.execution_status.value
        print("ended:" if status == "finished" else "gave up:", status)
    finally:
        talk.close()


warnings.simplefilter("ignore")
quiet()
main()
