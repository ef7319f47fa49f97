"""Hide a region of true pictures and let the model fill it in."""
import os

import numpy as np

from glaze.cli import make_parser, ready, run
from glaze.patterns import ascii_art, region_mask


def work(args, config, pipeline):
    ready(args, pipeline)
    true, labels = pipeline.pictures(config["inpaint.count"], seed=config["seed"] + 77)
    filled = pipeline.inpaint(true, labels)
    hidden = region_mask(config["inpaint.region"], config["data.size"])
    error = np.sqrt(((filled - true)[:, hidden] ** 2).mean())
    blank = np.sqrt((true[:, hidden] ** 2).mean())
    print(f"{config['name']}: {config['inpaint.region']} of {len(true)} pictures, {config['inpaint.rounds']} round(s)")
    print(f"rms error {error:.4f} (all grey: {blank:.4f})")
    if config["output.ascii"]:
        print(ascii_art(true[0]), ascii_art(filled[0]), sep="\n\n")
    os.makedirs(config["output.folder"], exist_ok=True)
    np.savetxt(os.path.join(config["output.folder"], f"{config['name']}_filled.txt"), filled, fmt="%.3f")


def main(argv=None):
    run(make_parser(__doc__), work, argv)


if __name__ == "__main__":
    main()
