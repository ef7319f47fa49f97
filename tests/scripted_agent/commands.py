"""An example's command with the values that are wanted: what is required stays, what nobody asked for goes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.scripted_agent.examples import Example
from tests.scripted_agent.matching import Told, assigned
from tests.scripted_agent.overrides import overrides_of, without
from tests.scripted_agent.programs import Knob

_AS_DOCUMENTED = re.compile(
    r"\b(?:as|like|just like) (?:in|from) (?:the |our |your |its )?(?:\w+ )?"
    r"(?:notes|docs|documents|documentation|readme|example)"
    r"|\bas (?:documented|described|shown)\b",
    re.I,
)
_PATH = re.compile(r"[\w.$*-]*/[\w./$*-]+|[\w-]+\.[a-z]\w{1,5}\b")


@dataclass(frozen=True)
class Words:
    """A command in parts: variables before it, what starts the program, and the program's own words."""

    variables: dict[str, str]
    launcher: tuple[str, ...]
    positionals: tuple[str, ...]
    flags: dict[str, tuple[str, ...]]
    glued: bool = field(default=False)


def parsed(line: str, knobs: Sequence[Knob] = ()) -> Words:
    """A command line in its parts. Which words belong to an option is what its knob says, or the next dash."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        words = line.split()
    variables = dict[str, str]()
    while words and re.fullmatch(r"[A-Z_][A-Z0-9_]*=.*", words[0]):
        name, _, value = words.pop(0).partition("=")
        variables[name] = value
    count = next((n + 1 for n, word in enumerate(words) if re.search(r"\.(?:py|sh)$", word)), 1)
    launcher, rest = words[:count], words[count:]
    by_flag = {flag: knob for knob in knobs for flag in knob.flags}
    positionals, flags, glued = list[str](), dict[str, list[str]](), False
    current: str | None = None
    for word in rest:
        if re.match(r"--?[A-Za-z]", word):
            current, equals, value = word.partition("=")
            flags[current] = [value] if equals else []
            glued = glued or bool(equals)
            knob = by_flag.get(current)
            if equals or (knob is not None and knob.switch):
                current = None
        elif current is not None:
            flags[current].append(word)
            knob = by_flag.get(current)
            if knob is not None and not knob.many:
                current = None
        else:
            positionals.append(word)
    return Words(variables, tuple(launcher), tuple(positionals), {k: tuple(v) for k, v in flags.items()}, glued=glued)


def shown_values(example: Words, knobs: Sequence[Knob]) -> dict[str, str]:
    """The values that an example gives, by the knobs' names."""
    found = {}
    for knob in knobs:
        if knob.variable:
            found[knob.name] = example.variables.get(knob.name, knob.default)
        elif knob.place >= 0:
            found[knob.name] = example.positionals[knob.place] if knob.place < len(example.positionals) else ""
        else:
            values = next((example.flags[flag] for flag in knob.flags if flag in example.flags), ())
            found[knob.name] = " ".join(values) or knob.default
    return found


def command(
    example: Example,
    knobs: Sequence[Knob],
    instruction: str,
    documents: str,
    files: Sequence[str],
    told_back: Told | None = None,
) -> str:
    """The example's command as the instruction wants it; without knobs, those that the example shows."""
    overrides = overrides_of(example.program, example.code, documents)
    code = without(example.code, overrides)
    knobs = [knob for knob in knobs if overrides.flag not in knob.flags]
    words = parsed(code, knobs)
    if not knobs:
        knobs = knobs_of_example(code)
    shown = shown_values(words, knobs)
    every = {**overrides.shown, **shown}
    values = assigned([*knobs, *overrides.keys], instruction, documents, every, files, told_back or Told())
    values |= _paths(knobs, instruction, shown, values, files)
    whole = _AS_DOCUMENTED.search(instruction) is not None
    variables = {k.name: values[k] for k in knobs if k.variable and k in values}
    line = [f"{name}={shlex.quote(value)}" for name, value in variables.items()]
    line += words.launcher
    places = sorted((k for k in knobs if k.place >= 0 and not k.flags), key=lambda k: k.place)
    for knob in places:
        value = values.get(knob) or (shown[knob.name] if knob.required else "")
        line += value.split() if knob.many else [value] if value else []
    line += words.positionals[len(places) :] if not places else ()
    for knob in (k for k in knobs if k.flags and k.flags != ("--*",)):
        line += _said(knob, values, shown, words, whole=whole)
    line += overrides.written(values)
    return " ".join(_quoted(word) for word in line)


def _said(knob: Knob, values: Mapping[Knob, str], shown: Mapping[str, str], words: Words, *, whole: bool) -> list[str]:
    """The words of a command that set an option; of a `whole` example also what the instruction says nothing of."""
    flag = next((f for f in knob.flags if f in words.flags), knob.flag)
    given = next((words.flags[f] for f in knob.flags if f in words.flags), None)
    if knob.switch:
        on = values.get(knob)
        truths = given or ()
        if on == "on" or (on is None and given is not None and truths):
            return [f"{flag}={truths[0]}" if truths else flag]
        return []
    if knob in values:
        value = values[knob]
        return [flag, *value.split()] if knob.many and "," not in value else _pair(flag, value, words)
    if given is not None and (whole or knob.required or _is_kept(given, knob)):
        return [flag, *given] if len(given) != 1 else _pair(flag, given[0], words)
    if knob.required and shown[knob.name]:
        return _pair(flag, shown[knob.name], words)
    return []


def _pair(flag: str, value: str, words: Words) -> list[str]:
    return [f"{flag}={value}"] if words.glued and flag.startswith("--") else [flag, value]


def _is_kept(given: Sequence[str], knob: Knob) -> bool:
    """Paths and truths of an example stay: it would not run without. Its numbers and choices were only an example."""
    return bool(given) and not knob.choices and all(_PATH.fullmatch(w) or w.lower() in ("true", "false") for w in given)


def _paths(
    knobs: Sequence[Knob],
    instruction: str,
    shown: Mapping[str, str],
    values: Mapping[Knob, str],
    files: Sequence[str],
) -> dict[Knob, str]:
    """A path in the instruction that is no file of the repository is where something is to be written."""
    new = [
        p.rstrip(".") for p in re.findall(r"(?<!\S)\(?([\w-]+/[\w./-]+|[\w-]+\.[a-z]{2,5})(?=[\s,;).]|$)", instruction)
    ]
    new = [p for p in new if p not in files and not any(f.endswith("/" + p) for f in files)]
    wanting = [
        k for k in knobs if k not in values and re.search(r"out|result|save|dest|folder|dir|csv", k.name + k.words)
    ]
    wanting.sort(key=lambda k: (not re.search(r"out|result|save", k.name), not shown.get(k.name)))
    return dict(zip(wanting, new, strict=False))


def knobs_of_example(code: str) -> list[Knob]:
    """What can be told of a program from a command that starts it."""
    words = parsed(code)
    flags = [
        Knob(flag.lstrip("-"), (flag,), switch=not given, many=len(given) > 1) for flag, given in words.flags.items()
    ]
    places = [Knob(f"word {n}", place=n, required=True) for n in range(len(words.positionals))]
    return [*flags, *places, *(Knob(name, variable=True) for name in words.variables)]


def _quoted(word: str) -> str:
    return word if re.fullmatch(r"[\w@%+=:,./$\"{}-]+", word) else shlex.quote(word)
