"""Local clones of the eighteen repositories of ML-Bench, checked out at their pins.

A clone may be bare and may lack large objects: a file whose content is absent becomes an empty file, and is counted.
"""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

# name -> commit; where the dataset names none (`HEAD`), what the clone has is taken and recorded
PINS = {
    "dmlc/dgl": "f5c8c0b500db810210d22add9b7d6fc809edc0d2",
    "google-research/bert": "eedf5716ce1268e56f0a50264a88cafad334ac61",
    "salesforce/LAVIS": "7f00a08",
    "deep-floyd/IF": "ffc8163891682beaca0c5eb6b9077860a3bc6509",
    "NVIDIA/vid2vid": "2e6d13755fc2e33200e7d4c0c44f2692d6ab0898",
    "facebookresearch/esm": "2b369911bb5b4b0dda914521b9475cad1656b2ac",
    "mlfoundations/open_clip": "91923dfc376afb9d44577a0c9bd0930389349438",
    "thuml/Time-Series-Library": "51e80b6f76b7823fea2512d6d170b1b83b149d2d",
    "xmu-xiaoma666/External-Attention-pytorch": "90e774ed4a2a734fe91dde6a4a737de0f0c54122",
    "eriklindernoren/PyTorch-GAN": "36d3c77e5ff20ebe0aeefd322326a134a279b93e",
    "huggingface/pytorch-image-models": "205d8ad37c838c20c541b787dca840edd9ed1408",
    "vinits5/learning3d": "becc4a0017488390d3f04e4bc2ce9efb368115c5",
    "microsoft/muzic": "9d52ff30b209a19fe51606242797c51a1bf7d7c1",
    "IDEA-Research/Grounded-Segment-Anything": "d1c510118c0fdffb87bab3cd3dfe3e6b02a36f8b",
    "Stability-AI/stablediffusion": "HEAD",
    "black0017/MedicalZooPytorch": "HEAD",
    "brightmart/text_classification": "HEAD",
    "tensorflow/tensor2tensor": "HEAD",
}


@dataclass(frozen=True)
class Checkout:
    """A pinned tree on disk. `absent` counts the files whose content the clone does not have."""

    name: str
    commit: str
    folder: Path
    absent: int


def check_out(mirror: Path, name: str, target: Path) -> Checkout:
    """Write the pinned tree of one repository under `target`, which must not exist yet.

    Raises:
        FileNotFoundError: the mirror has no such clone.
        subprocess.CalledProcessError: the clone lacks the pinned commit.
    """
    git = ["git", "--git-dir", str(_clone(mirror, name))]
    env = {**os.environ, "GIT_NO_LAZY_FETCH": "1"}
    commit = subprocess.check_output([*git, "rev-parse", "--verify", PINS[name] + "^{commit}"], text=True).strip()
    rows = subprocess.check_output([*git, "ls-tree", "-rz", commit], env=env).split(b"\0")
    folder = target / name.replace("/", "+")
    absent = 0
    with subprocess.Popen(
        [*git, "cat-file", "--batch"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env,
    ) as batch:  # fmt: skip
        assert batch.stdin and batch.stdout
        for row in filter(None, rows):
            about, _, path = row.partition(b"\t")
            mode, kind, blob = about.split()
            if kind != b"blob":  # a submodule: its content is another repository's
                continue
            batch.stdin.write(blob + b"\n")
            batch.stdin.flush()
            answer = batch.stdout.readline().split()
            content = b""
            if answer[1] == b"missing":
                absent += 1
            else:
                content = batch.stdout.read(int(answer[2]))
                batch.stdout.read(1)
            file = folder / os.fsdecode(path)
            file.parent.mkdir(parents=True, exist_ok=True)
            if mode == b"120000":
                file.symlink_to(os.fsdecode(content))
            else:
                file.write_bytes(content)
                file.chmod(0o755 if mode == b"100755" else 0o644)
    return Checkout(name, commit, folder, absent)


def tree_hash(folder: Path) -> str:
    """SHA-256 over all names, kinds, modes and contents below a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        digest.update(f"{path.relative_to(folder)}\0{mode:o}\0".encode(errors="surrogateescape"))
        if stat.S_ISLNK(mode):
            digest.update(os.fsencode(path.readlink()))
        elif stat.S_ISREG(mode):
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _clone(mirror: Path, name: str) -> Path:
    owner, _, repository = name.partition("/")
    for folder in (f"{owner}+{repository}/repo", f"{owner}+{repository}", f"{owner}/{repository}", repository):
        for git in (mirror / folder / ".git", mirror / folder):
            if (git / "HEAD").is_file():
                return git
    raise FileNotFoundError(f"{mirror} has no clone of {name}")
