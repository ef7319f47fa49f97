"""A scripted engineer behind OpenAI's protocol: what every agent is tried on without a paid model.

    with Engineer("competent") as engineer:
        ...  # OPENAI_BASE_URL=engineer.url

`policy.py` is the brain, `dialects/` its ways of speaking, `behaviours.py` its bad habits. By hand, from tests/:
`python -m engineer --port 8099`.
"""

from __future__ import annotations

from tests.scripted_agent.server import Engineer

__all__ = ["Engineer"]
