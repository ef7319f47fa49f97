"""CIFAR-10 as published: 50,000 pictures of 32 x 32 to learn from, 10,000 to tell, in another order.

RAW/cifar-10-binary.tar.gz   data_batch_1.bin to data_batch_5.bin and test_batch.bin: a byte for the kind, then 1,024
                             bytes each of red, green and blue, row by row (https://www.cs.toronto.edu/~kriz/cifar.html)
"""

import gzip
import tarfile
import zlib
from pathlib import Path

import numpy as np
from mlbench_preparing import called
from prepare import write

ARCHIVE, FOLDER = "cifar-10-binary.tar.gz", "cifar-10-batches-bin"
TRAIN, TEST = [f"data_batch_{number}.bin" for number in range(1, 6)], "test_batch.bin"
SIDE, KINDS, RECORDS = 32, 10, 10_000
RECORD = 1 + 3 * SIDE * SIDE


def batches(archive: Path) -> dict[str, np.ndarray]:
    """The records (n, RECORD) of each file that is wanted."""
    found = {}
    try:
        with gzip.open(archive) as packed, tarfile.open(fileobj=packed, mode="r:") as tar:
            for member in tar:
                name = member.name.removeprefix(f"{FOLDER}/")
                if name not in (*TRAIN, TEST):
                    continue
                file = tar.extractfile(member)
                if file is None or not 0 < member.size <= RECORDS * RECORD or member.size % RECORD:
                    raise SystemExit(
                        f"{ARCHIVE}: {member.name} has {member.size} bytes: no {RECORDS} or fewer records of {RECORD}"
                    )
                found[name] = np.frombuffer(file.read(), np.uint8).reshape(-1, RECORD)
            # a checksum stands at the very end, behind what a tar needs
            while packed.read(1 << 20):
                pass
    except (OSError, EOFError, tarfile.TarError, zlib.error) as error:
        raise SystemExit(f"{ARCHIVE}: cannot be read as tar.gz, is it cut short? {error}") from None
    for name in (*TRAIN, TEST):
        if name not in found:
            raise SystemExit(f"{ARCHIVE}: holds no {FOLDER}/{name}; wanted is the binary version")
        if found[name][:, 0].max() >= KINDS:
            raise SystemExit(f"{ARCHIVE}: {FOLDER}/{name}: {found[name][:, 0].max()} is no kind; they are 0 to 9")
    return found


def pictures(records: np.ndarray) -> np.ndarray:
    """(n, SIDE, SIDE, 3), colours last."""
    return np.ascontiguousarray(records[:, 1:].reshape(-1, 3, SIDE, SIDE).transpose(0, 2, 3, 1))


def main() -> None:
    args = called()
    rng = np.random.default_rng(args.seed)
    found = batches(args.raw / ARCHIVE)
    train = np.concatenate([found[name] for name in TRAIN])
    # a list of the published labels, known by heart, shall not fit
    test = rng.permutation(found[TEST])
    write(args.out, rng, pictures(train), train[:, 0], pictures(test), test[:, 0])


if __name__ == "__main__":
    main()
