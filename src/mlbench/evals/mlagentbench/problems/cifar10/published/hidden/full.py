"""CIFAR-10 as published, its version for Python: five files to learn from, and one to tell.

RAW/cifar-10-python.tar.gz   cifar-10-batches-py/: data_batch_1 to data_batch_5, test_batch, batches.meta, readme.html

A file is a pickle of a dictionary: data (n, 3072) of bytes, labels, filenames, batch_label. Only arrays and plain
values are unpickled. The names of the test's files name what is seen, so they are left out with its labels.
"""

import io
import pickle
import tarfile
from typing import ClassVar

import numpy as np
import pandas as pd
from mlbench_preparing import called

NAME, FOLDER, LARGEST = "cifar-10-python.tar.gz", "cifar-10-batches-py", 64 << 20
BATCHES = [*(f"data_batch_{number}" for number in range(1, 6)), "test_batch"]


class Plain(pickle.Unpickler):
    """Refuses everything but NumPy arrays and plain values."""

    KNOWN: ClassVar = {"_reconstruct", "ndarray", "dtype", "encode"}

    def find_class(self, module: str, name: str):
        if name in self.KNOWN and module.partition(".")[0] in ("numpy", "_codecs"):
            return super().find_class(module, name)
        raise SystemExit(f"{NAME}: a file asks for {module}.{name}; it is not the published one")


def main() -> None:
    args = called()
    visible = args.out / "visible/data" / FOLDER
    visible.mkdir(parents=True)
    labels: list[int] = []
    try:
        with tarfile.open(args.raw / NAME) as packed:
            for name in [*BATCHES, "batches.meta"]:
                member = packed.extractfile(f"{FOLDER}/{name}")
                written = member.read(LARGEST) if member else b""
                if name == "test_batch":
                    labels, written = withheld(written)
                (visible / name).write_bytes(written)
    except (OSError, EOFError, KeyError, tarfile.TarError, pickle.UnpicklingError) as error:
        raise SystemExit(f"{NAME}: cannot be read: {' '.join(str(error).split())}") from None
    hidden = args.out / "hidden"
    for part in ("perfect", "permuted"):
        (hidden / part).mkdir(parents=True)
    pd.DataFrame({"label": labels}).to_csv(hidden / "answers.csv", index_label="")
    for part, told in (("perfect", labels), ("permuted", [*labels[1:], labels[0]])):
        pd.DataFrame(np.eye(10)[told]).to_csv(hidden / part / "submission.csv")


def withheld(written: bytes) -> tuple[list[int], bytes]:
    """The labels of the test pictures, and their file without them."""
    found = Plain(io.BytesIO(written), encoding="latin1").load()
    pixels, labels = np.asarray(found["data"]), [int(label) for label in found["labels"]]
    if pixels.dtype != np.uint8 or pixels.shape != (len(labels), 3072) or not set(labels) <= set(range(10)):
        raise SystemExit(f"{NAME}: test_batch has other pictures or labels than the published one")
    without = {"batch_label": "test", "labels": [0] * len(labels), "data": pixels, "filenames": [""] * len(labels)}
    return labels, pickle.dumps(without, protocol=2)


main()
