"""A small suite to review: two tasks in one repository, one written in block style and one in flow style."""

from __future__ import annotations

import hashlib
from pathlib import Path

README = """\
# Pulsar

Run `python train.py --rate 0.1 --mode slow`.
<script>document.title = 'taken'</script>\x1b[31mred
"""
PROGRAM = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float)
parser.add_argument("--mode", choices=["slow", "fast"])
parser.parse_args()
"""
SHA = hashlib.sha256(README.encode()).hexdigest()
BLOCK = f"""\
# A comment at the top stays.
type: Bash Script
path: .
segment:
  file: README.md
  lines: [1, 4]
  sha256: {SHA}   # and so does this one
program: train.py
arguments:
  rate: [0.10, 5e-3]      # kept as it is spelled
  mode: {{slowly: slow, quickly: fast}}
# what is said
instructions:
  - >-
    One: rate {{{{ rate }}}},
    {{{{ mode }}}}.
  - 'Two: {{{{ mode }}}}, {{{{ rate }}}}.'
  - "Three: {{{{ mode }}}}, {{{{ rate }}}} <img src=x onerror=document.title=1>."
  - Four {{{{ mode }}}}, {{{{ rate }}}}.
  - |
    Five: {{{{ mode }}}}, {{{{ rate }}}}.

reference: |
  python train.py --rate {{{{ rate }}}} --mode {{{{ mode }}}}
"""
FLOW = BLOCK.replace("lines: [1, 4]\n  sha256:", "lines: [1, 4], sha256:").replace(
    "segment:\n  file: README.md\n  lines: [1, 4], sha256: " + SHA + "   # and so does this one",
    f"segment: {{file: README.md, lines: [1, 4], sha256: {SHA}}}",
)
FLOW = FLOW.replace("# what is said\n", "exclude: [{rate: 0.10, mode: fast}]\n# what is said\n")
FLOW = FLOW.replace("python train.py", "python ./train.py")
SUITE = """
name: small
version: 1
seed: 7
sizes: {full: 2, quarter: 1, id_train: 3, ood_train: 0}
code_share: 0
repositories:
  - {name: pulsar, github_id: 1, domain: stars, role: id}
"""


def made(folder: Path) -> Path:
    """The suite in this folder; without an environment, so that nothing has to be installed."""
    (folder / "repositories" / "pulsar").mkdir(parents=True)
    (folder / "recipes" / "pulsar").mkdir(parents=True)
    (folder / "suite.yaml").write_text(SUITE)
    (folder / "repositories" / "pulsar" / "README.md").write_text(README)
    (folder / "repositories" / "pulsar" / "train.py").write_text(PROGRAM)
    (folder / "recipes" / "pulsar" / "block.yaml").write_text(BLOCK)
    (folder / "recipes" / "pulsar" / "flow.yaml").write_text(FLOW)
    return folder
