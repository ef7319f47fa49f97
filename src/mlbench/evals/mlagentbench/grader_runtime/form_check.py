"""Compares the form of a program's outputs with that of the starter's: form_check.py OUTPUTS KNOWN NAME ...

Both are of the same inputs. An array has the shape and the kind of numbers of the starter's, a table its columns and
ids; of other files it is enough that they are there.
"""

import json
import os
import sys

from mlbench_grading import Invalid, joined, load_array, read_csv


def check(path: str, known: str) -> None:
    """Refuse an output of another form.

    Raises:
        Invalid: the file and what is wrong with it.
    """
    if path.endswith(".npy"):
        import numpy as np

        right = np.load(known, allow_pickle=False)
        load_array(path, right.shape, right.dtype.kind)
    elif path.endswith(".csv"):
        with open(known, encoding="utf-8") as file:
            columns = file.readline().strip().split(",")
        identity, *others = columns
        joined(path, [row[identity] for row in read_csv(known, columns)], others, identity)
    elif not os.path.isfile(path):
        raise Invalid(f"{os.path.basename(path)}: there is no such file")


def main() -> None:
    try:
        for name in sys.argv[3:]:
            check(os.path.join(sys.argv[1], name), os.path.join(sys.argv[2], name))
        print(json.dumps({"invalid": ""}))
    except Invalid as error:
        print(json.dumps({"invalid": " ".join(str(error).split())[:500]}))


if __name__ == "__main__":
    main()
