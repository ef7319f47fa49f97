"""Make a few MNIST-like digits for PyTorch-GAN: python make_data.py CHECKOUT TARGET."""

import random
import struct
import sys
from pathlib import Path

_IMAGES = 8
_SIDE = 28


def digit(label, draw):
    """Return the pixels of a bright blob whose place and size follow from the label."""
    row, column, radius = 6 + 16 * (label // 5), 4 + 5 * (label % 5), 3 + label % 3
    pixels = bytearray()
    for y in range(_SIDE):
        for x in range(_SIDE):
            inside = (y - row) ** 2 + (x - column) ** 2 <= radius**2
            pixels.append(draw.randrange(180, 256) if inside else draw.randrange(30))
    return bytes(pixels)


def main():
    folder = Path(sys.argv[2], "data/mnist/MNIST/raw")
    folder.mkdir(parents=True)
    for split in ("train", "t10k"):
        draw = random.Random(split)
        labels = [n % 10 for n in range(_IMAGES)]
        images = b"".join(digit(label, draw) for label in labels)
        head = struct.pack(">IIII", 2051, _IMAGES, _SIDE, _SIDE)
        (folder / f"{split}-images-idx3-ubyte").write_bytes(head + images)
        (folder / f"{split}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 2049, _IMAGES) + bytes(labels))


if __name__ == "__main__":
    main()
