"""OpenHands by its SDK: its standard agent with terminal, file editor and task list; no browser, nobody to ask."""

import os
import sys
import warnings
from pathlib import Path

os.environ.update(OPENHANDS_SUPPRESS_BANNER="1", LOG_LEVEL="WARNING")
os.environ["OH_TERMINAL_PROCESS_PRIORITY"] = "none"  # its commands would yield to those of all other samples
ROUNDS = 10_000  # the bounds are the benchmark's
TERMINAL, PLAIN = "terminal", {"terminal_type": "subprocess"}


def quiet() -> None:
    """The plain terminal hands on all that a shell prints: without this, marks for pasting around each output."""
    (Path.home() / ".inputrc").write_text("set enable-bracketed-paste off\n")


def main() -> None:
    from openhands.sdk import LLM, LocalConversation, Tool  # type: ignore[import-not-found]
    from openhands.tools.preset.default import get_default_agent  # type: ignore[import-not-found]

    proxy = os.environ["OPENAI_BASE_URL"]
    llm = LLM(model="openai/inspect", base_url=proxy, api_key="none", usage_id="agent", num_retries=2)
    agent = get_default_agent(llm, cli_mode=True)
    # it would take tmux where there is one: the same everywhere
    tools = [Tool(name=tool.name, params=PLAIN if tool.name == TERMINAL else tool.params) for tool in agent.tools]
    agent = agent.model_copy(update={"tools": tools})
    talk = LocalConversation(agent, str(Path.cwd()), max_iteration_per_run=ROUNDS, visualizer=None)
    try:
        talk.send_message(sys.stdin.read())
        talk.run()
        print("ended:", talk.state.execution_status.value)
    finally:
        talk.close()


warnings.simplefilter("ignore")
quiet()
main()
