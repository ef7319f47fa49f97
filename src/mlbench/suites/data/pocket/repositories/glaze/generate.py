"""Draw new patterns."""
import os

import numpy as np

from glaze.cli import make_parser, ready, run
from glaze.patterns import ascii_art


def work(args, config, pipeline):
    ready(args, pipeline)
    images, numbers = pipeline.generate()
    print(f"{config['name']}: {len(images)} pictures, {config['sampler.name']}, {config['sampler.steps']} steps, "
          f"guidance {config['sampler.guidance']}")
    print(f"label accuracy {pipeline.accuracy(images, numbers):.3f}  distance {pipeline.distance(images):.4f}")
    if config["output.ascii"]:
        for image, number in zip(images[:4], numbers):
            print(f"\n{pipeline.labels[number]}\n{ascii_art(image)}")
    folder = os.path.join(config["output.folder"], config["name"])
    os.makedirs(folder, exist_ok=True)
    size = config["data.size"]
    for i, (image, number) in enumerate(zip(images, numbers)):
        grey = np.round((image.reshape(size, size) + 1) * 127.5).astype(int)
        with open(os.path.join(folder, f"{i:03d}_{pipeline.labels[number]}.pgm"), "w", encoding="ascii") as file:
            file.write(f"P2\n{size} {size}\n255\n" + "\n".join(" ".join(map(str, row)) for row in grey) + "\n")
    print(f"written to {folder}")


def main(argv=None):
    run(make_parser(__doc__), work, argv)


if __name__ == "__main__":
    main()
