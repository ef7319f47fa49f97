"""Write a small M4 in the files that its data loader reads.

python make_data.py CHECKOUT TARGET
"""

import sys
from pathlib import Path

import numpy as np

PATTERNS = {  # horizon, length of a series, frequency
    "Yearly": (6, 40, 1),
    "Quarterly": (8, 48, 4),
    "Monthly": (18, 72, 12),
    "Weekly": (13, 100, 1),
    "Daily": (14, 100, 1),
    "Hourly": (48, 150, 24),
}
SERIES = 12  # of each pattern: the program plots every tenth part


def main(target: Path) -> None:
    """Write the table of all series, and their values for training and test as pickled arrays."""
    rng = np.random.default_rng(0)
    folder = target / "dataset" / "m4"
    folder.mkdir(parents=True)
    lines, train, test = ["M4id,category,Frequency,Horizon,SP,StartingDate"], [], []
    for pattern, (horizon, length, frequency) in PATTERNS.items():
        for number in range(1, SERIES + 1):
            lines.append(f"{pattern[0]}{number},Micro,{frequency},{horizon},{pattern},01-01-79 12:00")
            time = np.arange(length + horizon)
            wave = 10 * np.sin(2 * np.pi * time / max(frequency, 5)) + rng.normal(size=time.size)
            values = 100 + 5 * number + 0.2 * time + wave
            train.append(values[:length])
            test.append(values[length:])
    (folder / "M4-info.csv").write_text("\n".join(lines) + "\n")
    for name, parts in (("training", train), ("test", test)):
        values = np.empty(len(parts), dtype=object)
        values[:] = parts
        values.dump(folder / f"{name}.npz")  # not an archive, in spite of its name


if __name__ == "__main__":
    main(Path(sys.argv[2]))
