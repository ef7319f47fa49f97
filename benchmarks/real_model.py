"""A real, very small model: SmolLM2-135M-Instruct, served here on one thread and evaluated on rows of `pocket`.

`make real-model` installs what it needs and runs it: about 30 minutes for 100 rows, two answers each. The log, the
replies (`replies.jsonl`, which `mlbench verify` reads) and the server's messages go to one folder.

    python -m benchmarks.real_model [--rows 100] [--attempts 2] [--max-tokens 384] [--temperature 0.8]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, EvalSample, list_eval_logs, read_eval_log

HERE = Path(__file__).parent
MODEL = "openai-api/local/SmolLM2-135M-Instruct"
ENVIRONMENT = HERE.parent / ".venv-real-model"
LOGS = HERE.parent / "logs" / "real-model"


@contextmanager
def serving(python: Path, messages: Path) -> Iterator[str]:
    """The model's server, which yields its base URL; it ends with this process, however that ends.

    Raises:
        RuntimeError: it did not start.
    """
    # a session of its own: Ctrl-C first stops the evaluation; then the end of the pipe stops the server
    with messages.open("w") as log:
        server = subprocess.Popen(
            [python, HERE / "real_model_server.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
        )
    assert server.stdin is not None and server.stdout is not None
    try:
        address = server.stdout.readline().strip()
        if not address:
            raise RuntimeError(f"the model's server did not start: {messages} says why")
        yield f"{address}/v1"
    finally:
        server.stdin.close()
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def evaluate(url: str, options: argparse.Namespace) -> int:
    """`mlbench eval` as a user types it; its exit code."""
    command = [str(Path(sys.executable).with_name("mlbench")), "eval", "pocket", "--model", MODEL, "--base-url", url]
    command += ["--limit", str(options.rows), "-k", str(options.attempts)]
    command += ["--temperature", str(options.temperature), "--max-tokens", str(options.max_tokens)]
    command += ["--max-connections", "1", "--workers", "1", "--log-dir", str(LOGS)]
    # the local server wants no key, but the client wants one to send
    process = subprocess.Popen(command, env={**os.environ, "LOCAL_API_KEY": "none"})
    try:
        return process.wait()
    except KeyboardInterrupt:  # it got Ctrl-C as well, and writes its log
        process.wait()
        raise


def reply(log: EvalLog, sample: EvalSample) -> dict[str, Any]:
    """One reply and how it came about; `id`, `github_id` and `output` as `mlbench verify` reads them."""
    asked = log.plan.config
    return {
        "id": sample.metadata["row"],
        "github_id": sample.metadata["github_id"],
        "attempt": sample.epoch,
        "setting": (log.eval.metadata or {})["setting"],
        "model": sample.output.model,
        "sampling": {"temperature": asked.temperature, "max_tokens": asked.max_tokens},
        "stop_reason": sample.output.stop_reason,
        "output": [sample.output.completion],
    }


def keep(log: EvalLog, file: Path) -> None:
    """Write the replies, by row and attempt, and print how fast they came."""
    samples = [sample for sample in log.samples or [] if not sample.error]
    samples.sort(key=lambda sample: (sample.metadata["row"], sample.epoch))
    file.write_text("".join(json.dumps(reply(log, sample), ensure_ascii=False) + "\n" for sample in samples))
    tokens = sum(sample.output.usage.output_tokens for sample in samples if sample.output.usage)
    seconds = sum(sample.output.time or 0.0 for sample in samples)
    speed = f"{tokens:,} tokens in {seconds:,.0f} s, {tokens / (seconds or 1):.1f} a second"
    print(f"{len(samples)} replies in {file}: {speed}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100, help="rows of the split full, spread evenly")
    parser.add_argument("--attempts", type=int, default=2, help="answers to each row")
    parser.add_argument("--max-tokens", type=int, default=384)
    parser.add_argument("--temperature", type=float, default=0.8)
    parser.add_argument("--python", type=Path, default=ENVIRONMENT / "bin" / "python", help="of the server")
    options = parser.parse_args()
    if not options.python.is_file():
        print(f"{options.python} is missing: type `make real-model`", file=sys.stderr)
        return 2
    LOGS.mkdir(parents=True, exist_ok=True)
    try:
        with serving(options.python, LOGS / "server.log") as url:
            code = evaluate(url, options)
    except KeyboardInterrupt:
        return 130
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    if code == 0:
        keep(read_eval_log(list_eval_logs(str(LOGS))[0]), LOGS / "replies.jsonl")
    return code


if __name__ == "__main__":
    sys.exit(main())
