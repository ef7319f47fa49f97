"""Builds a suite with a model that is asked by files: whoever answers them is the model.

Each question is a file `KIND-NUMBER.question` in a folder, with its instructions in `KIND.instructions`; its answer is
written beside it as `KIND-NUMBER.answer`. The build waits for it. A second build takes the answers that are there. So a
model without an endpoint here, or a person, can be measured as `--model` of `mlbench build`.

    python -m benchmarks.builder_by_files FOLDER URL… -o SUITE [other options of mlbench build]
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import anyio
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from mlbench.cli import main as mlbench
from mlbench.suite_builder import llm

_POLL = 2.0
_DAY = 86_400


@modelapi("files")
class FileModel(ModelAPI):
    """Asks by files in the folder that the model is called after."""

    def max_connections(self) -> int:
        """All questions of a build may be open at once."""
        return 1000

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        folder = Path(self.model_name)
        kind = config.response_schema.name if config.response_schema else "Text"
        instructions = "\n\n".join(each.text for each in input if each.role == "system")
        rest = [each for each in input if each.role != "system"]
        question = "\n\n".join(each.text if at == 0 else f"[{each.role}]\n{each.text}" for at, each in enumerate(rest))
        number = hashlib.sha256(f"{instructions}\0{question}".encode()).hexdigest()[:12]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{kind}.instructions").write_text(instructions, encoding="utf-8")
        (folder / f"{kind}-{number}.question").write_text(question, encoding="utf-8")
        answer = folder / f"{kind}-{number}.answer"
        while not answer.exists():
            await anyio.sleep(_POLL)
        return ModelOutput.from_content(self.model_name, answer.read_text(encoding="utf-8"))


def main() -> None:
    folder, *rest = sys.argv[1:] or sys.exit(__doc__)
    llm.PATIENCE = GenerateConfig(max_retries=0, timeout=_DAY, attempt_timeout=_DAY)
    sys.argv = ["mlbench", "build", *rest, "--model", f"files/{Path(folder).resolve()}"]
    mlbench()


if __name__ == "__main__":
    main()
