"""Let `pip install` be done by uv, which takes a tenth of the processor time.

A copy of this file becomes a part of pip in the environments of agents, so it uses the standard library only. It runs
when pip is imported. pip itself still does everything else: other commands and options, packages without wheels, and
all that uv refuses, so every error message is pip's own.
"""

import os
import subprocess
import sys

UV = "/opt/uv"
"""Path of uv in a sandbox."""

_SAME = {"-q", "--quiet", "-U", "--upgrade", "--no-deps", "--require-hashes"}
_WITH_FILE = {"-r", "--requirement"}
_WITHOUT_EFFECT = {
    "--disable-pip-version-check",
    "--no-cache-dir",
    "--no-compile",
    "--no-input",
    "--no-warn-script-location",
    "--prefer-binary",
    "--root-user-action=ignore",
}
_OURS = {
    "PIP_CONFIG_FILE",
    "PIP_DEFAULT_TIMEOUT",
    "PIP_DISABLE_PIP_VERSION_CHECK",
    "PIP_INDEX_URL",
    "PIP_NO_CACHE_DIR",
    "PIP_NO_INPUT",
    "PIP_PROGRESS_BAR",
}
"""Variables of pip that a sandbox has; any other one could mean that pip is to work in another way."""


def uv_arguments(arguments: "list[str]") -> "list[str] | None":
    """Return the arguments of `uv pip install` for those of pip; None if pip itself has to do it."""
    made, words = [], iter(arguments)
    if next(words, "") != "install":
        return None
    for word in words:
        if word in _WITH_FILE:
            file = next(words, "")
            if not os.path.isfile(file):
                return None
            made += ["-r", file]
        elif word in _SAME:
            made.append(word)
        elif word not in _WITHOUT_EFFECT:
            if word.startswith(("-", ".")) or any(sign in word for sign in "/@\\") or word.endswith((".whl", ".gz")):
                return None
            made.append(word)
    return made


def pip_arguments() -> "list[str] | None":
    """Return the arguments of pip's command line; None if pip is imported by another program."""
    name = os.path.basename(sys.argv[0])
    if name == "-m":
        original = getattr(sys, "orig_argv", [])
        return sys.argv[1:] if "pip" in original[original.index("-m") + 1 :][:1] else None
    is_pip = name.startswith("pip") and not name[3:].replace(".", "").strip("0123456789")
    return sys.argv[1:] if is_pip else None


def as_pip(said: str, arguments: "list[str]") -> str:
    """Return what pip would say at the end, from what uv said: always the same words for the same packages."""
    added = [line.split()[1] for line in said.splitlines() if line.startswith(" + ")]
    if added:
        return "Successfully installed " + " ".join("-".join(each.split("==")) for each in added)
    return "\n".join(f"Requirement already satisfied: {word}" for word in arguments if not word.startswith("-"))


def install() -> None:
    """Install by uv and end the process, if this is a `pip install` that uv can do; else return."""
    index = os.environ.get("UV_DEFAULT_INDEX")
    if not index or index != os.environ.get("PIP_INDEX_URL") or not os.path.exists(UV):
        return
    if any(name.startswith("PIP_") and name not in _OURS for name in os.environ):
        return
    given = pip_arguments()
    arguments = None if given is None else uv_arguments(given)
    if not arguments:
        return
    # the unpacked wheels lie on the disk of the environment, so that they are linked into it
    env = dict(os.environ, TMPDIR=sys.prefix, UV_LINK_MODE="hardlink")
    command = [UV, "pip", "install", "--no-build", "--python", sys.executable, *arguments]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode == 0:
        if not {"-q", "--quiet"} & set(arguments):
            print(as_pip(done.stdout, arguments), flush=True)
        sys.exit(0)
