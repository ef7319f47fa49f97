"""Fit a denoiser and keep its weights."""
import os

from glaze.cli import make_parser, report_line, run


def work(args, config, pipeline):
    count = sum(w.size for w in pipeline.model.weights)
    print(f"{config['name']}: {config['data.count']} pictures, {count} weights")
    pipeline.fit(report_line)
    folder = os.path.join("runs", args.tag or config["name"])
    pipeline.save(os.path.join(folder, "weights.npz"))
    with open(os.path.join(folder, "config.txt"), "w", encoding="utf-8") as file:
        file.write(config.dump() + "\n")
    print(f"weights written to {folder}")


def main(argv=None):
    parser = make_parser(__doc__, weights=False)
    parser.add_argument("--tag", help="name of the folder under runs/ (default: the configuration's name)")
    run(parser, work, argv)


if __name__ == "__main__":
    main()
