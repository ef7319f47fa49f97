"""Quality against the number of steps."""
import json
import os

from glaze.cli import make_parser, ready, run


def work(args, config, pipeline):
    ready(args, pipeline)
    rows = []
    print("steps  accuracy  distance")
    for steps in config["evaluate.steps"]:
        images, numbers = pipeline.generate(count=config["evaluate.count"], steps=steps)
        row = {"steps": steps, "accuracy": pipeline.accuracy(images, numbers), "distance": pipeline.distance(images)}
        print(f"{steps:5d}  {row['accuracy']:8.3f}  {row['distance']:8.4f}")
        rows.append(row)
    if args.json:
        os.makedirs(config["output.folder"], exist_ok=True)
        path = os.path.join(config["output.folder"], f"{config['name']}_{config['sampler.name']}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
        print(f"written to {path}")


def main(argv=None):
    parser = make_parser(__doc__)
    parser.add_argument("--json", action="store_true", help="also write the table as JSON")
    run(parser, work, argv)


if __name__ == "__main__":
    main()
