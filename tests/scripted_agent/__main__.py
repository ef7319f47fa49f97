"""`python -m engineer --port 8099 --behaviour competent`, from tests/: an endpoint for trying by hand."""

from __future__ import annotations

import argparse
import time

from tests.scripted_agent.behaviours import BEHAVIOURS
from tests.scripted_agent.server import Engineer

parser = argparse.ArgumentParser(description="A scripted engineer behind OpenAI's protocol.")
parser.add_argument("--port", type=int, default=8099)
parser.add_argument("--behaviour", choices=list(BEHAVIOURS), default="competent")
options = parser.parse_args()
with Engineer(options.behaviour, options.port) as engineer:
    print(f"OPENAI_BASE_URL={engineer.url} (behaviour {options.behaviour}); Ctrl-C ends it", flush=True)
    seen = 0
    try:
        while True:
            time.sleep(0.2)
            for asked in engineer.asked[seen:]:
                said = asked.reply.calls[0].arguments if asked.reply.calls else asked.reply.text
                print(f"{asked.serial} {asked.behaviour}: {said[:200]!r}", flush=True)
                seen += 1
    except KeyboardInterrupt:
        pass
