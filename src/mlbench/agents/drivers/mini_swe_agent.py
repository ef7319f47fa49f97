"""Run mini-swe-agent with its own prompts, as its command `mini` does without a person."""

import os
import sys
from pathlib import Path

SECONDS = 300  # for one command: installing packages takes longer than the default of 30 s


def main() -> None:
    """Read the task, run the agent, and print why it ended."""
    os.environ.update(MSWEA_SILENT_STARTUP="1", MSWEA_COST_TRACKING="ignore_errors")
    os.environ["MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT"] = "3"  # the proxy already retries
    os.environ["MSWEA_GLOBAL_CONFIG_DIR"] = str(Path.home() / ".config" / "mini-swe-agent")
    from minisweagent.agents.default import DefaultAgent  # type: ignore[import-not-found]
    from minisweagent.config import get_config_from_spec  # type: ignore[import-not-found]
    from minisweagent.environments.local import LocalEnvironment  # type: ignore[import-not-found]
    from minisweagent.models.litellm_model import LitellmModel  # type: ignore[import-not-found]

    config = get_config_from_spec("mini")
    prompts = {name: text for name, text in config["agent"].items() if name.endswith("_template")}
    model = LitellmModel(**config["model"] | {"model_name": "openai/inspect"})
    environment = LocalEnvironment(**config["environment"] | {"cwd": str(Path.cwd()), "timeout": SECONDS})
    agent = DefaultAgent(model, environment, **prompts, cost_limit=0)  # the benchmark sets the limits
    result = agent.run(sys.stdin.read())
    status = result.get("exit_status") or "without a status"
    print("ended:" if status == "Submitted" else "gave up:", status)


main()
