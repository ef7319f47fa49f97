"""What the harness costs beside bare Inspect: `full` x 5, nothing judged, against the same prompts and a mock model.

Bound: at most 1.5 times. All are run in turn, in one process each, three times; the medians are compared. `equipped` is
Inspect alone with what our samples have besides: a sandbox, metadata, and cached replies, which a resumed run needs.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

from benchmarks.record import Figure, record

ROUNDS = 3
EPOCHS = 5

CODE = {
    "bare": """
from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.solver import generate
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from mlbench.evals.ml_llm_bench.task import llm_bench

def answer(*_):  # with its usage, lest the mock model fetch a tokenizer to count it
    output = ModelOutput.from_content("mockllm/model", "an answer")
    output.usage = ModelUsage()
    return output

model = get_model("mockllm/model", custom_outputs=answer)
ours = llm_bench(judged=False)
samples = [Sample(id=s.id, input=s.input, target=s.target) for s in ours.dataset]
task = Task(dataset=MemoryDataset(samples), solver=generate(), epochs=Epochs(%d))
""",
    "equipped": """
from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import MemoryDataset
from inspect_ai.solver import generate
from inspect_ai.model import CachePolicy, ModelOutput, ModelUsage, get_model
from mlbench.evals.ml_llm_bench.task import llm_bench

def answer(*_):
    output = ModelOutput.from_content("mockllm/model", "an answer")
    output.usage = ModelUsage()
    return output

model = get_model("mockllm/model", custom_outputs=answer)
samples = list(llm_bench(judged=False).dataset)
cached = generate(cache=CachePolicy(expiry=None, scopes={"run": "bench"}))
task = Task(dataset=MemoryDataset(samples), solver=cached, epochs=Epochs(%d))
""",
    "mlbench": """
from inspect_ai import eval
from mlbench.evals.ml_llm_bench.task import llm_bench
model = "mlbench/gold"
task = llm_bench(judged=False, k=%d, run="bench")
""",
}
RUN = """
import time
began = time.perf_counter()
log = eval(task, model=model, log_dir=%r, display="none")[0]
assert log.status == "success" and len(log.samples) == 260 * %d, log.error
print(time.perf_counter() - began)
"""


def seconds(kind: str) -> float:
    """Wall seconds of one evaluation, without start-up and without making the dataset."""
    with tempfile.TemporaryDirectory() as folder:
        code = CODE[kind] % EPOCHS + RUN % (folder, EPOCHS)
        env = {"INSPECT_CACHE_DIR": f"{folder}/cache"}
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **env}, check=False
        )
    if done.returncode != 0:
        raise SystemExit(done.stderr[-2000:])
    return float(done.stdout.split()[-1])


def main() -> bool:
    times: dict[str, list[float]] = {"bare": [], "equipped": [], "mlbench": []}
    for _ in range(ROUNDS):
        for kind, found in times.items():
            found.append(seconds(kind))
            time.sleep(0.5)
    bare, equipped, ours = (statistics.median(found) for found in times.values())
    samples = 260 * EPOCHS
    return record(
        "harness",
        [
            Figure("harness over bare Inspect", ours / bare, 1.5, "times", at_most=True),
            Figure("harness over Inspect with a sandbox, metadata and cached replies", ours / equipped, 1.15, "times"),
            Figure("bare Inspect, a sample", bare / samples * 1000, None, "ms"),
            Figure("mlbench without judging, a sample", ours / samples * 1000, None, "ms"),
        ],
    )


if __name__ == "__main__":
    sys.exit(not main())
