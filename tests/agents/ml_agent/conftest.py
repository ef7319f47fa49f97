"""A small repository for ML-Agent to work in."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.agents.ml_agent.search import SearchResult

README = """# Toad

Trains toads.

```bash
python train.py --data pond --lr 0.1
```

`--data` is one of pond and lake.
"""
TRAIN = """import argparse
p = argparse.ArgumentParser()
p.add_argument('--data', choices=['pond', 'lake'], required=True)
p.add_argument('--lr', type=float, default=0.1, help='learning rate')
p.add_argument('--n_epochs', type=int, default=3)
p.parse_args()
"""


@pytest.fixture
def toad(tmp_path: Path) -> SearchResult:
    root = tmp_path / "toad"
    for name, text in {
        "README.md": README,
        "train.py": TRAIN,
        "docs/README.md": "# Docs\n\nNothing.\n",
        "sub/tool.py": "def tool(n): return n\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return SearchResult("toad", "Trains toads.", ("amphibians",), README, root)
