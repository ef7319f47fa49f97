"""Systematic mutations of references: harmless ones, after which an answer is as right as before, and faults.

Everything is textual and deterministic: the same reference always gives the same mutants.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mlbench.records import Sample

_OPTION = r"(?<![\w-])(--?[A-Za-z][\w-]*)"
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:[eE]-?\d+)?|\.\d+")


@dataclass(frozen=True)
class Mutant:
    """A candidate's code, and what was done to the reference to get it. `harmless`: the task is still the same."""

    kind: str
    code: str
    harmless: bool = False


def mutants(sample: Sample, programs: list[str], harmful: Collection[str] = (), seed: int = 0) -> list[Mutant]:
    """All mutants of one sample's reference that differ from it.

    Args:
        programs: paths of the repository's programs, to take a wrong one from.
        harmful: destinations without which it is another task.
    """
    rng = random.Random(f"{seed}/{sample.id}")
    make = _of_shell if sample.kind == "shell" else _of_python
    wanted = {**sample.required(), **dict.fromkeys(harmful, "\0")}
    found: dict[str, Mutant] = {}
    for mutant in make(sample, wanted, programs, rng):
        if mutant.code != sample.output:
            found.setdefault(mutant.code, mutant)
    return list(found.values())


def _of_shell(sample: Sample, required: Mapping[str, str], programs: list[str], rng: random.Random) -> Iterator[Mutant]:
    code = sample.output
    yield Mutant("comment", f"# as asked for\n{code}", True)
    yield Mutant("unbuffered", re.sub(r"\bpython3? ", "python -u ", code), True)
    yield Mutant("joined lines", re.sub(r"\s*\\\n\s*", " ", code), True)
    yield Mutant("announced", f'echo "starting"\n{code}', True)
    yield Mutant("equals sign", re.sub(rf"{_OPTION} (?=[\w./]+)", _attach, code))
    for name, value in required.items():
        yield from _value_mutants(code, name, value, required, rng)
    for option, value in dict(re.findall(rf"{_OPTION}(?:[ =](?!-)([^\s\\]+))?", code)).items():
        if option.startswith("--") and len(option) > 4:
            yield Mutant("misspelt option", _word(option, _misspelt(option, rng), code))
            yield Mutant("hyphen for underscore", _word(option, _other_dash(option), code))
        yield Mutant("dropped option", _without(option, code), not _is_wanted(option, value, required))
    yield Mutant("invented option", _appended(code, "--verbose_logging_level 3"))
    if script := re.search(r"[\w./-]+\.(?:py|sh)\b", code):
        name = script.group()
        yield Mutant("misspelt file", code.replace(name, _misspelt(name, rng)))
        others = [other for other in programs if Path(other).name != Path(name).name and "/" not in other]
        if name.endswith(".py") and others:
            yield Mutant("wrong program", code.replace(name, rng.choice(others)))
    yield Mutant("wrong folder", f"cd ..\n{code}")
    yield Mutant("missing folder", f"cd src/examples\n{code}")
    if "cd " in code:
        yield Mutant("no cd", re.sub(r"(?m)^\s*cd [^\n&;]*(?:&&|;)?\s*\n?", "", code))
    yield Mutant("placeholder", re.sub(r"(--[\w-]+[ =])[\w./]+", r"\1<value>", code, count=1))
    yield Mutant("unset variable", re.sub(r"(--[\w-]+[ =])[\w./]+", r"\1$SOME_SETTING", code, count=1))
    yield Mutant("only help", _appended(code, "--help"))


def _of_python(
    sample: Sample, required: Mapping[str, str], programs: list[str], rng: random.Random
) -> Iterator[Mutant]:
    code = sample.output
    yield Mutant("comment", f"# as asked for\n{code}", True)
    yield Mutant("docstring", f'"""As asked for."""\n{code}\nprint("done")\n', True)
    for name, value in required.items():
        yield from _value_mutants(code, name, value, required, rng)
    for module in dict.fromkeys(re.findall(r"(?m)^(?:from|import) ([\w.]+)", code)):
        yield Mutant("misspelt module", code.replace(module, _misspelt(module, rng)))
    for names in re.findall(r"(?m)^from [\w.]+ import ([\w, ]+)$", code):
        for name in names.split(","):
            yield Mutant("misspelt name", _word(name.strip(), _misspelt(name.strip(), rng), code))
    for keyword in dict.fromkeys(re.findall(r"[(,]\s*(\w+)=", code)):
        changed = re.sub(rf"([(,]\s*){keyword}=", rf"\g<1>{_misspelt(keyword, rng)}=", code)
        yield Mutant("misspelt keyword", changed)
        values = re.findall(rf",\s*{keyword}=([^,()\[\]]+)", code)
        wanted = any(_is_wanted(keyword, value.strip("\"'"), required) for value in values)
        yield Mutant("dropped keyword", re.sub(rf",\s*{keyword}=[^,()\[\]]+", "", code), not wanted)
    for method in dict.fromkeys(re.findall(r"\.(\w{4,})\(", code)):
        yield Mutant("misspelt method", code.replace(f".{method}(", f".{_misspelt(method, rng)}("))
    variables = re.findall(r"(?m)^(\w+) = ", code)
    if variables:
        yield Mutant("undefined name", re.sub(rf"(?m)^{variables[0]} = ", f"{variables[0]}_ = ", code, count=1))
    yield Mutant("missing bracket", code.replace(")", "", 1))
    yield Mutant("defined, never called", "def main():\n" + "\n".join(f"    {line}" for line in code.splitlines()))


def _value_mutants(
    code: str, name: str, value: str, required: Mapping[str, str], rng: random.Random
) -> Iterator[Mutant]:
    if not value or value.startswith(("-", "\0")):
        return
    if _NUMBER.fullmatch(value):
        yield Mutant(
            "other value",
            _word(value, f"{float(value) * 2 + 1:g}" if "." in value else str(int(float(value)) + 3), code),
        )
        yield Mutant("wrong type", _word(value, "several", code))
        yield Mutant("longer number", _word(value, f"{value}5" if "." in value else f"{value}1", code))
        if "." in value and "e" not in value.lower():
            yield Mutant("respelt number", _word(value, f"{float(value):e}", code), True)
    else:
        yield Mutant("wrong choice", _word(value, f"{value}_v2", code))
        yield Mutant("other case", _word(value, value.swapcase(), code))
    others = [other for key, other in required.items() if key != name and other.strip("\0") and other != value]
    if others:
        other = rng.choice(others)
        held = _word(value, "\0", code)
        yield Mutant("swapped values", _word(other, value, held).replace("\0", other))


def _word(old: str, new: str, code: str) -> str:
    return re.sub(rf"(?<![\w.-]){re.escape(old)}(?![\w-]|\.\d)", lambda _: new, code)


def _attach(match: re.Match[str]) -> str:
    return f"{match[1]}=" if match[1].startswith("--") else match[0]


def _is_wanted(option: str, value: str, required: Mapping[str, str]) -> bool:
    """Whether the instruction asks for it: by its name, or by the value that it carries."""
    named = {re.sub(r"\W|_", "", name).lower() for name in required}
    return re.sub(r"\W|_", "", option).lower() in named or value in required.values() or not value


def _without(option: str, code: str) -> str:
    return re.sub(rf"(?<![\w-]){re.escape(option)}(?:[ =](?!-)[^\s\\]+)?[ ]*", "", code, count=1)


def _appended(code: str, words: str) -> str:
    return f"{code.rstrip()} {words}"


def _misspelt(word: str, rng: random.Random) -> str:
    """Two neighbouring letters in the wrong order, or one too many."""
    places = [
        i for i in range(2, len(word) - 1) if word[i].isalpha() and word[i + 1].isalpha() and word[i] != word[i + 1]
    ]
    if not places:
        return word + "x"
    place = rng.choice(places)
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def _other_dash(option: str) -> str:
    body = option[2:]
    return "--" + (body.replace("_", "-") if "_" in body else body.replace("-", "_"))
