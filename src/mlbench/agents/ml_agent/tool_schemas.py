"""The model's decisions; each one is a call of one tool (ML-Bench v1, section 5).

The decisions come in this order. Each step offers only the tools that are allowed there, and the model must call one:

1. `search_repositories(keywords)`: what to search for; only if no repository is given.
2. `rank_repositories(names)`: the search results, best first; only if no repository is given.
3. `judge_repository(suitable, reason, settings, readmes)`: whether the repository can do the task, which values the
   instruction fixes, and which READMEs to read in which order.
4. A loop over the READMEs:
   `answer(language, folder, plan, code)`: the command or the code. If the program rejects it, the model answers again.
   `open_file(path, first_line, last_line, missing)`: read a file; `missing` names what the documents leave open.
   `reject_readme(reason)`: this README does not help; the next README or the next repository follows.
   `install_packages(packages, requirements)`: only if the answer ran in a sandbox and failed there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from inspect_ai.tool import ToolInfo, ToolParams
from inspect_ai.util import JSONSchema
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Package = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200, pattern=r"^[A-Za-z0-9]")]
_MOST_WORDS = 12
_MOST_READMES = 50


class ToolDecision(BaseModel):
    """Base class of all decisions; unknown arguments are ignored."""

    model_config = ConfigDict(frozen=True)
    tool: ClassVar[str]
    purpose: ClassVar[str]


class Keywords(ToolDecision):
    """Keywords for the search."""

    tool: ClassVar[str] = "search_repositories"
    purpose: ClassVar[str] = "Search for repositories that can do what the instruction asks for."
    keywords: list[Line] = Field(
        min_length=1,
        max_length=_MOST_WORDS,
        description="The task, the model, the method, the data and whatever else tells the repository; best first.",
    )


class Ranking(ToolDecision):
    """The search results, best first."""

    tool: ClassVar[str] = "rank_repositories"
    purpose: ClassVar[str] = "Rank the repositories by how well they serve the instruction."
    names: list[Line] = Field(min_length=1, description="Names of the repositories, the best first.")


class Judgement(ToolDecision):
    """Whether a repository can do the task, and what to read in it."""

    tool: ClassVar[str] = "judge_repository"
    purpose: ClassVar[str] = "Say whether this repository can do what the instruction asks for, and what to read in it."
    suitable: bool = Field(description="Whether it can.")
    reason: str = Field(max_length=2000, description="Why, in a sentence.")
    settings: list[Line] = Field(
        default=[],
        max_length=40,
        description="What the instruction fixes, each in its own words and without its value, like: learning rate.",
    )
    readmes: list[Line] = Field(
        default=[],
        max_length=_MOST_READMES,
        description="Paths of the READMEs to read, the most useful first; leave out those that do not matter.",
    )


class ToolAnswer(ToolDecision):
    """The command or the code."""

    tool: ClassVar[str] = "answer"
    purpose: ClassVar[str] = "Give the command or the code that does what the instruction asks for."
    language: Literal["bash", "python"] = Field(description="bash for a shell script, python for Python code.")
    folder: Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)] = Field(
        default=".", description="The folder that it runs in, from the repository's root; . is the root."
    )
    plan: str = Field(default="", max_length=4000, description="What is done, step by step, in a few short lines.")
    code: Annotated[str, StringConstraints(min_length=1, max_length=100_000)] = Field(
        description="The script or the code, complete, without a Markdown fence."
    )


class OpenFile(ToolDecision):
    """A file to read."""

    tool: ClassVar[str] = "open_file"
    purpose: ClassVar[str] = "Read a file of the repository, where the documents leave something open."
    path: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)] = Field(
        description="The file, from the repository's root."
    )
    first_line: int = Field(default=1, ge=1, description="The first line to read.")
    last_line: int = Field(default=0, ge=0, description="The last line to read; 0 for the end.")
    missing: list[Line] = Field(
        default=[], max_length=40, description="What the documents shown leave open, like: name of the batch size flag."
    )


class RejectReadme(ToolDecision):
    """The shown README does not help."""

    tool: ClassVar[str] = "reject_readme"
    purpose: ClassVar[str] = "Put this README aside; the next one is shown, or the next repository."
    reason: str = Field(default="", max_length=2000, description="Why, in a sentence.")


class InstallPackages(ToolDecision):
    """Packages to install before the next trial run."""

    tool: ClassVar[str] = "install_packages"
    purpose: ClassVar[str] = "Install Python packages that are missing; then the answer is run once more."
    packages: list[Package] = Field(
        default=[], max_length=40, description="As pip names them, with a version where one is needed, like: numpy<2."
    )
    requirements: Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)] = Field(
        default="", description="A requirements file of the repository, from its root; empty for none."
    )


@dataclass(frozen=True)
class Offer:
    """A decision that the model may take now.

    Attributes:
        kind: the class of the decision.
        allowed: for each restricted field, the values that it or its items may have.
        hidden: fields that are already known and not asked for.
    """

    kind: type[ToolDecision]
    allowed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()

    def tool(self) -> ToolInfo:
        """Return the decision as a tool for the model."""
        schema = self.kind.model_json_schema()
        properties = {
            name: _property(about, self.allowed.get(name))
            for name, about in schema["properties"].items()
            if name not in self.hidden
        }
        parameters = ToolParams(properties=properties, required=schema.get("required", []))
        return ToolInfo(name=self.kind.tool, description=self.kind.purpose, parameters=parameters)

    def fault(self, decision: ToolDecision) -> str:
        """Return which value is not allowed, which a schema cannot prevent; empty if all are."""
        for name, allowed in self.allowed.items():
            value = getattr(decision, name)
            for each in value if isinstance(value, list) else [value]:
                if each not in allowed:
                    return f"{name}: {each!r} is none of: {', '.join(allowed)[:2000]}"
        return ""


def _property(about: Mapping[str, Any], allowed: tuple[str, ...] | None) -> JSONSchema:
    """Return a field's schema with only the keywords that every provider accepts."""
    schema = JSONSchema(
        type=about["type"],
        description=about.get("description"),
        enum=about.get("enum"),
        minimum=about.get("minimum"),
        default=about.get("default"),
    )
    if about["type"] == "array":
        schema.items = JSONSchema(type=about["items"]["type"], enum=list(allowed) if allowed else None)
    elif allowed:
        schema.enum = list(allowed)
    return schema
