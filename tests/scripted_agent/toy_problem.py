"""A made-up problem that takes no time: each try leaves a number, the largest is wanted."""

from __future__ import annotations

from pathlib import Path


def write_problem(folder: Path, name: str = "toads") -> Path:
    """A problem that takes no time, whose scripts print another figure each time that they run."""
    files = {
        "task.yaml": "title: Toads\ndomain: tables\ntext: Make the number in guess.txt large.\nlite: made up\n"
        "metric: {name: number, better: higher}\nsubmission: [guess.txt]\nstarter: {mean: 1, spread: 0, seeds: 3}\n"
        f"name: {name}\nbounds: {{steps: 12, seconds: 600}}\n",
        "visible/train.py": script(1),
        "hidden/prepare.py": "import os, sys\nfor part in ('visible', 'hidden'):\n"
        "    os.makedirs(f'{sys.argv[1]}/{part}')\nopen(f'{sys.argv[1]}/visible/data.txt', 'w').write('7')\n",
        "hidden/grade.py": "from mlbench_grading import Invalid, main\n"
        "def grade(workspace, hidden):\n"
        "    try:\n        return float(open(f'{workspace}/guess.txt').read())\n"
        "    except (OSError, ValueError):\n        raise Invalid('guess.txt holds no number') from None\n"
        "main(grade)\n",
        "hidden/reference/train.py": script(5),
        "hidden/wrong/train.py": script(1),
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def script(number: int) -> str:
    """A script that leaves this number, and prints what no other run of it prints."""
    return f"import time\nopen('guess.txt', 'w').write('{number}')\nprint('done at', time.time_ns(), 'with {number}')\n"
