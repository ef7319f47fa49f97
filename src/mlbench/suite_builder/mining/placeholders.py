"""Fills placeholders in documentation with plausible values.

The program decides: a refused value is replaced once by one that the program's message allows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from mlbench.shell.languages import parse_shell

_MEANINGS = (
    (r"learning.?rate|\blr\b", "0.001"),
    (r"classes\b", "10"),
    (r"batch.?size|\bbs\b", "32"),
    (r"epochs?\b", "10"),
    (r"seed", "42"),
    (r"port\b", "29500"),
    (r"master.?addr|host\b|\bip\b", "127.0.0.1"),
    (r"rank", "0"),
    (r"gpu.?ids?|device.?ids?", "0"),
    (r"^n$|^k$|^m$|\bnum|number|nproc|count|\bsteps?\b|iter|layers?\b|length|workers|\bsize\b|\bdim|\bint\b", "4"),
    (r"prompt|question|caption|sentence\b", "'a photo of a cat'"),
    (r"json.*\blogs?\b|\blogs?\b.*json", "./outputs/log.json"),
    (r"(?:pkl|pickle).*\b(?:results?|preds?)|(?:results?|preds?).*(?:pkl|pickle)", "./outputs/results.pkl"),
    (r"(?:config|cfg|ya?ml)", "./config.yaml"),
    (
        r"(?:ckpt|checkpoint|weights?|pretrained|resume|restore|snapshot|\bpth?\b|pkl)(?!.*(?:dir|folder))",
        "./checkpoints/model.pt",
    ),
    (r"ckpt|checkpoint|weights|pretrained", "./checkpoints"),
    (r"(?:out|output|save|results?)[^a-z]?file", "./outputs/result"),
    (r"out|save|result|log|export|dest|tmp|cache|work.?dir", "./outputs"),
    (r"video|mp4", "./data/video.mp4"),
    (r"audio|wav|mp3|song|speech", "./data/audio.wav"),
    (r"(?:image(?!net)|img|photo|picture|png|jpe?g)s?.?(?:dir|folder|root|s\b)", "./data/images"),
    (r"image(?!net)|img|photo|picture|png|jpe?g", "./data/image.png"),
    (r"json", "./data/data.json"),
    (r"csv", "./data/data.csv"),
    (r"fasta", "./data/sequences.fasta"),
    (r"pdb", "./data/structure.pdb"),
    (r"txt|text|corpus|\bfile", "./data/input.txt"),
    (r"model.?(?:dir|path|folder|file)|model.?zip", "./models/model"),
    (r"data|dir|folder|root|path|input|train|val|test|source", "./data"),
    (r"experiment|exp\b|\brun|name|tag|title|project", "run-1"),
)  # fmt: skip
"""Patterns of names and the value to fill in; the first match counts."""
_JOINING = frozenset({"or", "and", "of", "to", "the", "a", "an"})
_GENERIC = re.compile(
    r"\b(?:path|paths|to|your|the|my|own|local|full|absolute|a|an|of|for|some|dir|directory|folder|root|location|where|is|are|insert|here)\b"
)
_FORMAT = re.compile(r"\b(onnx|xml|tflite|engine|trt|pth|pt|ckpt|safetensors|gguf|pb|h5|pkl|mlmodel|torchscript)\b")
"""Formats of a model that the name of a placeholder may ask for: `<XML_MODEL_PATH>`."""
_SETTINGS = re.compile(r"\.(?:ya?ml|toml|cfg|ini|gin)$")
_WEIGHTS = re.compile(r"\.(?:pth?|ckpt|pkl|bin|safetensors|h5|pb)$")
_LEADING = re.compile(r"^/?(?:(?:your|the|my|some)[ /_-])*path[ /_-](?:to|of)[ /_-](?:(?:your|the|my|some)[ /_-])*")
_ALTERNATIVES = re.compile(r"^[\w./-]+(?:\s*[|,/]\s*[\w.-]+)+$")
_CAPITALS = re.compile(r"(?<![\w.-])(?:[A-Z][A-Z_-]*/)+(?:[A-Z][A-Z_-]*$)?")
"""`PATH/TO/MODEL/CHECKPOINTS`: no word is a name."""
_OUT = re.compile(r"(?:out|output|save|dest|export|results?)\b")
_FOLDER = re.compile(r"(?:dir|folder|directory|root)$", re.I)
_SAID = re.compile(r"text|sentence|utterance", re.I)  # options that take a text, not a file
_STEM = re.compile(r"\[([A-Z][A-Z0-9_]{2,})\](?=\.\w{2,5}\b)")  # `[SOURCE].txt`
_FOLDER_FIRST = re.compile(
    r"(?<![\w./$-])(?:OUTPUT|OUT|SAVE|LOG|RESULTS?|DATA|DATASET|CHECKPOINTS?)_(?:DIR|PATH|ROOT)(?=/\w)"
)
_SOME_FILE = re.compile(r"^\w*[_-]?files?$", re.I)
_SLASHED = re.compile(r"\[[a-z][\w-]*(?:/[a-z][\w-]*){1,4}")
_ANGLE = re.compile(r"(?<![<\w])(['\"]?)<([A-Za-z][^<>\n]{0,80})>\1")
_BRACE = re.compile(r"(?<![\w$}])\{([A-Za-z][\w |/.-]*)\}(?![\w{])")
_DASHED = re.compile(r"\$\{([a-z]+(?:-[A-Za-z]+)+)\}")
"""`${dump-root}`, which bash reads as a variable `dump` with a default."""
_WISHED = re.compile(
    r"(?<=\s)--?[A-Za-z][\w-]*[= ]\"[^\"\n]*\byou (?:may |might )?(?:want|like|need)\b[^\"\n]*\"(?=\s|$)"
)
"""`--hparams="parameters you want to override"`: an option that a page leaves to the reader."""
_QUOTED_TEXT = re.compile(r"\"[^\"\n]*[ \\][^\"\n]*\"|'[^'\n]* [^'\n]*'")
_OPTIONAL = re.compile(
    r"(?:(?<=\s)|^)\[\s*-[^\[\]\n]*\](?=\s|$)|(?<=\s)--?args(?=\s|$)|(?:(?<=\s)|^)\[[^\[\]\n]*\s\.{3}\](?=\s|$)|(?:(?<=\s)|^)\[(?:OPTIONS|ARGS|options|args|FLAGS|flags)\]"
)
_BRACKET = re.compile(
    r"(?<=[\s=])\[([A-Z][A-Z0-9_ -]{2,}|[A-Za-z][\w.-]*(?:[ |][\w.-]+)+|[a-z]{2,}(?:-[a-z]+)+"
    r"|\w*(?:path|PATH|dir|DIR|name|NAME|file|FILE|your|YOUR)\w*|[a-z][\w-]*(?:/[a-z][\w-]*){1,4})\](?=\s|$)"
)
_ELLIPSIS = re.compile(r"(?:(?<=\s)|^)(?:\.{3,}|…|\[\.\.\.\]|<\.\.\.>)(?=\s|$)")
_LEFT_OPEN = re.compile(r"(?<![\w.$/])([A-Za-z_][\w-]*)=(?:\.{3}|…)(?=\s|$)")
_PATH_TO = re.compile(
    r"(?<![\w/.-])(?:~|\.{0,2})/?(?:(?:your|my|the|some)[/_-])?\bpath[/_-](?:to|of)(?:[/_-](?:your|my|the|some))*[/_-]?([\w./-]*)",
    re.I,
)
_YOURS = re.compile(
    r"(?<![\w${])(?<!//)(?<!:/)(?:~/|\.{0,2}/)?(?:YOUR|your|MY|my)[_-]([A-Za-z][\w-]*(?:\.[A-Za-z]\w{0,5})?)|(?<![\w/])/your/([\w./-]+)"
)
_XXX = re.compile(r"(?<![\w.])(?:x{3,}|X{3,})(?![\w.])")
_NOW = re.compile(r"\$\(date\b[^()\n]*\)|`date\b[^`\n]*`")
_UP_TO = re.compile(r"(?<![\w.,])0,(?:1,)?\.{3},(?:[nN]|\d+)\b")  # `CUDA_VISIBLE_DEVICES=0,...,N`
_HERE = re.compile(r"\$\(pwd\)/(?=\w)|`pwd`/(?=\w)|\$PWD/(?=\w)")
_OPTION = re.compile(r"(?:^|\s)--?([A-Za-z][\w.-]*)(?:[ \t=]+|\s*\\\n\s*)['\"]?$")
_CHOICES = re.compile(r"invalid choice: '?([^'\s]*)'? \(choose from (.*?)\)|not one of (.*?)\.?$", re.S)

GAP = re.compile(
    r"(?<=\w)/\./\S*|(\.[a-z]{2,})\1\b|(?<![$\w{])[A-Z]{3,}_(?:ID|NAME|KEY|TOKEN)\b(?!=)"
    r"|(?<![^\s=])[A-Z]{3,}_(?:FILE|PATH|DIR|FOLDER)(?!\S)"  # `--config-file CONFIG_FILE`
    r"|(?<!\S)/?(?:[\w-]+/)*(?:your|YOUR)[/_-]\S*|\bYour[A-Z]\w*"  # `/set/your/model/a.pth`, `YourModelName`
    r"|(?<=\s)\[[a-z]{3,}\](?!\S)"  # `-e [ckpt]`
    r"|/<[\w -]+(?:[/|][\w -]+)+>"  # `models/<small/large>/last`
    r"|(?<!\S)-{3,}\w\S*|(?<!\S)--[\w-]+==\S*"  # a page's slip
    r"|\b([A-Za-z_]{2,})1\s(?:\s*\2\d\s)*\s*\2[nNkK]\b"  # `task1 task2 ... taskn`
    r"|(?<!\S)(?:(?:INPUT|OUTPUT|FILE(?:NAME)?|PATH|DIR(?:ECTORY)?|FOLDER|VALUE|NAME)(?:_|(?!\S))){1,2}(?!\S)"
)
"""Text that a script put where a value belongs, and that no value can replace."""

PLACE_IN_CAPITALS = re.compile(
    r"(?<![^\s=])(?![A-Z_]*(?:CONFIG|CFG))(?:[A-Z]{2,}_)*"
    r"(?:INPUT|OUTPUT|FILE(?:NAME)?|PATH|DIR(?:ECTORY)?|FOLDER)(?:_[A-Z]{2,})*(?!\S)"
)
"""The name of a place, such as `INPUT_FILE` in a usage line."""


@dataclass(frozen=True)
class Filled:
    """A text with filled placeholders; `replaced` has the former text by the new value."""

    code: str
    replaced: tuple[tuple[str, str], ...] = ()


def filled(code: str) -> Filled:
    """A shell block with a value for each placeholder; `...` and `[OPTIONS]` are removed."""
    replaced: list[tuple[str, str]] = []

    def put(match: re.Match[str]) -> str:
        inner = next((group for group in reversed(match.groups()) if group), "")
        text = match.string
        if match.re is _BRACE and re.search(rf"--{re.escape(inner)}\b", text):
            return match[0]  # `--dataset a --root x/{dataset}`: the program fills it in
        if match.re is _BRACE and any(
            each.start() < match.start() < each.end() for each in _QUOTED_TEXT.finditer(text)
        ):
            return match[0]  # `--template "Question: {prompt}"`
        if match.start() and text[match.start() - 1] == "/" and match.re in (_ANGLE, _BRACE):
            if re.search(r"[/|]", inner):
                return match[0]  # a choice that other parts of the command depend on
            if re.search(r"(?:^|[\s='\"])/$", text[: match.start()]):  # `/<path>/runs`
                replaced.append((match[0], value := value_of(inner).lstrip("./")))
                return value
            value = re.sub(r"\W+", "_", inner).strip("_")  # a part of a path
        else:
            option = _OPTION.search(text[: match.start()])
            name = f"[{inner}" if match.re is _BRACKET else inner
            value = value_of(name if _SLASHED.fullmatch(name) else inner, option[1] if option else "")
            if match.re is _PATH_TO and inner and not _SOME_FILE.search(inner) and not _CAPITALS.fullmatch(inner):
                value = _under(_CAPITALS.sub("", inner), value)
            if option and _FOLDER.search(option[1]) and re.search(r"/[\w-]+\.\w{2,5}$", value):
                value = value.rpartition("/")[0]
            if re.match(r"[\w-]*\.\w{2,5}\b", text[match.end() :]):  # `<image>.jpg`, `<image>_rgba.png`
                value = re.sub(r"(?<=\w)\.\w{2,5}$", "", value)
            if match.start() and text[match.start() - 1] in "'\"":
                value = value.strip("'")  # it stands in quotes already
            value = _apart(value, match[0], option[1] if option else inner, replaced)
            value += "/" * (match[0].endswith("/") and match.re is _YOURS and not value.endswith("/"))
        replaced.append((match[0], value))
        return value

    code = _HERE.sub("", _NOW.sub("1", code))  # a reference must not depend on the time
    code = _WISHED.sub("", _OPTIONAL.sub("", code))
    code = _LEFT_OPEN.sub(lambda match: f"{match[1]}={value_of(match[1])}", code)
    code = _ELLIPSIS.sub("", code)
    code = _UP_TO.sub(lambda match: _noted(match[0], "0,1,2,3", replaced), code)
    code = _STEM.sub(lambda match: _noted(match[0], match[1].lower(), replaced), code)
    code = _FOLDER_FIRST.sub(lambda match: _noted(match[0], value_of(match[0]), replaced), code)
    for pattern in (_DASHED, _ANGLE, _BRACE, _BRACKET, _PATH_TO, _YOURS, _XXX):
        code = pattern.sub(put, code)
    for _, value in replaced:
        code = re.sub(rf"(?<=[\s=])\[{re.escape(value)}\](?=\s|$)", lambda match: match[0][1:-1], code)
    code = re.sub(r"(?m)^[ \t]*\\\n", "", code)  # a line of which only its continuation is left
    code = re.sub(r"[ \t]*\\\n[ \t]*(?=\n|$)", "", code) if replaced or "\\" in code else code
    return Filled(code, tuple(replaced))


def _noted(text: str, value: str, replaced: list[tuple[str, str]]) -> str:
    replaced.append((text, value))
    return value


def _apart(value: str, text: str, option: str, others: list[tuple[str, str]]) -> str:
    """The value, or another file if another placeholder has it: a program would overwrite what it reads."""
    if value.count("/") < 2 or all(text == other or value != taken for other, taken in others):
        return value
    folder, _, name = value.rpartition("/")
    if re.search(r"out|save|dest|convert|export|result", option.lower()):
        return f"./outputs/{name}"
    return f"{folder}/{re.sub(r'[^a-z0-9]+', '-', option.lower()).strip('-')}-{name}"


def _under(rest: str, value: str) -> str:
    """A path for what follows `/path/to/`, whose words are kept."""
    folder = "./checkpoints" if value.startswith("./checkpoints") or _WEIGHTS.search(rest) else "./data"
    rest = rest.strip("/.") + ("/" if rest.endswith("/") else "")
    if folder == f"./{rest.strip('/')}":
        return f"./{rest}"  # not ./data/data
    return (
        f"./{rest}"
        if rest.split("/")[0] in ("data", "checkpoints", "models", "outputs") and "/" in rest
        else f"{folder}/{rest}"
    )


def value_of(name: str, option: str = "") -> str:
    """A value for a placeholder or variable of this name, after this option."""
    if _ALTERNATIVES.match(name) and "|" in name:
        return re.split(r"\s*\|\s*", name)[0]
    if _SAID.fullmatch(option) and not re.search(r"file|path|dir|\.", name, re.I):
        return "'Hello world'"
    if _SLASHED.fullmatch(name):  # `[cpu/gpu]`
        return name[1:].split("/", maxsplit=1)[0]
    plain = re.sub(r"[^a-z0-9.]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()).strip()
    about = re.sub(r"[^a-z0-9.]+", " ", option.lower())
    rest = [word for word in _GENERIC.sub(" ", plain).split() if word not in _JOINING]
    name = _LEADING.sub("", name)
    if re.fullmatch(r"[\w./-]+\.\w{2,5}", name.strip("/")) and "." in name.rpartition("/")[2]:  # the name is a file's
        if _SETTINGS.search(name):
            return f"./{name.strip('./')}"
        folder = "checkpoints" if _WEIGHTS.search(name) else "data"
        return f"./{folder}/{name.strip('./')}"
    if (model := _FORMAT.search(plain)) and not re.search(r"dir|folder|out|save", name.lower()):
        return f"./{'models' if not _WEIGHTS.search(f'.{model[1]}') else 'checkpoints'}/model.{model[1]}"
    if {*plain.split()} <= {"path", "name", *_JOINING} and "model" in about.split():
        return "./checkpoints/model"  # `--model_name_or_path <path_or_name>`
    for pattern, value in _MEANINGS:
        if plain and re.search(pattern, plain):
            found = _sharper(value, rest)
            is_out = found.startswith("./data") and _OUT.match(about) and _FOLDER.search(option)
            return "./outputs" if is_out else found  # `--out_dir=<path to store the files>`
    if about.split()[-1:] == ["name"] and rest:
        return "_".join(rest)  # the option wants a name, not a place
    for pattern, value in _MEANINGS:
        if about and re.search(pattern, about):
            return _sharper(value, rest)
    return f"./data/{'_'.join(rest)}" if rest and "/" in name else "_".join(rest) or "./data"


def _sharper(value: str, rest: list[str]) -> str:
    """A folder of data keeps the name that is left: `<imagenet dir>` is ./data/imagenet."""
    words = [word for word in rest if word not in ("data", "dataset", "datasets", "input", "file", "files", "name")]
    return f"./data/{'_'.join(words)}" if value == "./data" and words else value


def places_filled(code: str, is_setting: Callable[[str], bool]) -> Filled:
    """A command with a path for each name in capitals that stands for one: `encodec INPUT_FILE OUTPUT_WAV_FILE`.

    Args:
        code: the command.
        is_setting: whether a name in capitals is one of the program's settings.
    """
    replaced: list[tuple[str, str]] = []

    def put(match: re.Match[str]) -> str:
        if is_setting(match[0]):
            return match[0]
        option = _OPTION.search(match.string[: match.start()])
        value = value_of(match[0], option[1] if option else "")
        return _noted(match[0], _apart(value, match[0], option[1] if option else match[0], replaced), replaced)

    return Filled(PLACE_IN_CAPITALS.sub(put, code), tuple(replaced))


def unset_filled(code: str) -> Filled:
    """A command with a value for each variable that it does not set."""
    root = parse_shell(code).root_node
    known: set[str] = set()
    spans: list[tuple[int, int, str, str]] = []
    todo = [root]
    while todo:
        node = todo.pop()
        text = (node.text or b"").decode(errors="replace")
        if node.type == "variable_assignment":
            known.add(text.partition("=")[0])
        elif node.type == "for_statement":
            known.update(re.findall(r"for\s+(\w+)", text))
        elif node.type in ("simple_expansion", "expansion") and (
            match := re.fullmatch(r"\$\{?([A-Za-z_]\w*)\}?", text)
        ):
            spans.append((node.start_byte, node.end_byte, match[1], text))
        todo += node.children
    data, replaced = code.encode(), []
    for start, end, name, text in sorted(spans, reverse=True):
        if name in known or name in ("PWD", "HOME", "USER", "PYTHONPATH", "PATH", "LD_LIBRARY_PATH"):
            continue
        option = _OPTION.search(data[:start].decode(errors="replace"))
        value = value_of(name, option[1] if option else "").strip("'")
        replaced.append((text, value))
        data = data[:start] + (value if " " not in value else value.replace(" ", "-")).encode() + data[end:]
    return Filled(data.decode(errors="replace"), tuple(replaced))


def repaired(code: str, replaced: tuple[tuple[str, str], ...], reason: str, message: str) -> str | None:
    """The code with another value for a refused placeholder; None if the message does not tell.

    Args:
        code: the code.
        replaced: former texts by filled value.
        reason: why the check refused it.
        message: the program's message.
    """
    values = [value.strip("'") for _, value in replaced]
    refused = next((value for value in values if value and value in message), "")
    if not refused:
        return None
    own = re.compile(rf"(?<![\w-]){re.escape(refused)}(?![\w-])")  # not in `--gan_type type`'s option
    if reason == "invalid-choice" and (match := _CHOICES.search(message)):
        choices = [each.strip(" '\"") for each in (match[2] or match[3]).split(",")]
        return own.sub(choices[0], code) if choices and re.fullmatch(r"[\w./+-]+", choices[0]) else None
    if reason == "invalid-type":
        number = "0.1" if "float" in message else "4" if "int" in message else ""
        return own.sub(number, code) if number else None
    return None
