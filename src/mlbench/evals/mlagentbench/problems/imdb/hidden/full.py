"""Reviews of IMDb as published (Maas et al. 2011): 25,000 to learn from, 25,000 to tell, each part in another order.

RAW/aclImdb_v1.tar.gz   aclImdb/train/pos/ID_STARS.txt, and so for neg and test; those without a label are left out
"""

import gzip
import re
import tarfile
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
from mlbench_preparing import called
from prepare import write

ARCHIVE = "aclImdb_v1.tar.gz"
REVIEW = re.compile(r"aclImdb/(train|test)/(pos|neg)/\d+_\d+\.txt")
LARGEST = 512 << 20  # bytes of all reviews; the published ones have 66 million


def reviews(archive: Path) -> dict[tuple[str, str], list[str]]:
    """The texts of each part (train, test) and kind (pos, neg), in the order of their names."""
    found: dict[tuple[str, str], dict[str, str]] = {
        (part, kind): {} for part in ("train", "test") for kind in ("neg", "pos")
    }
    total, name = 0, ""
    try:
        with gzip.open(archive) as packed, tarfile.open(fileobj=packed, mode="r:") as tar:
            for member in tar:
                name = member.name
                match = REVIEW.fullmatch(name)
                if not match or not (file := tar.extractfile(member)):
                    continue
                total += member.size
                if total > LARGEST:
                    raise SystemExit(f"{ARCHIVE}: its reviews have more than {LARGEST >> 20} MiB; it is another file")
                found[match[1], match[2]][name] = file.read().decode()
            # a checksum stands at the very end, behind what a tar needs
            while packed.read(1 << 20):
                pass
    except (OSError, EOFError, tarfile.TarError, zlib.error) as error:
        raise SystemExit(f"{ARCHIVE}: cannot be read as tar.gz, is it cut short? {error}") from None
    except UnicodeDecodeError as error:
        raise SystemExit(f"{ARCHIVE}: {name} is no UTF-8: {error}") from None
    for (part, kind), texts in found.items():
        if not texts:
            raise SystemExit(f"{ARCHIVE}: holds no reviews aclImdb/{part}/{kind}/ID_STARS.txt; it is another file")
    return {key: [texts[name] for name in sorted(texts)] for key, texts in found.items()}


def main() -> None:
    args = called()
    rng = np.random.default_rng(args.seed)
    found = reviews(args.raw / ARCHIVE)
    frames = []
    for part in ("train", "test"):
        blame, praise = found[part, "neg"], found[part, "pos"]
        frame = pd.DataFrame({"text": blame + praise, "label": [0] * len(blame) + [1] * len(praise)})
        # one kind stands after the other: the place of a review would tell its label
        frames.append(frame.iloc[rng.permutation(len(frame))].reset_index(drop=True))
    write(args.out, *frames)


if __name__ == "__main__":
    main()
