"""Pictures of the sea floor as published: a fiftieth of the training table, drawn with seed 42, is the test.

RAW/fathomnet.zip   category_key.csv, multilabel_classification/train.csv, object_detection/train.json and eval.json
RAW/images-png.zip      images/ID.png, of the training pictures
"""

import ast
import io
import json
import re
import zipfile
import zlib
from pathlib import Path

import pandas as pd
from mlbench_preparing import called

LABELS, OBJECTS = "multilabel_classification/train.csv", "object_detection/{}.json"
LARGEST, KINDS = 64 << 20, 290


def main() -> None:
    args = called()
    try:
        with (
            zipfile.ZipFile(args.raw / "fathomnet.zip") as packed,
            zipfile.ZipFile(args.raw / "images-png.zip") as images,
        ):
            known = pd.read_csv(io.BytesIO(packed.read(LABELS)), dtype=str).sample(frac=1, random_state=42)
            objects = {part: json.loads(packed.read(OBJECTS.format(part))) for part in ("train", "eval")}
            key = packed.read("category_key.csv")
            prepare(args.out, known.reset_index(drop=True), objects, images)
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise SystemExit(f"the data are not the published ones: {' '.join(str(error).split())}") from None
    (args.out / "visible/category_key.csv").write_bytes(key)


def prepare(out: Path, known: pd.DataFrame, objects: dict, images: zipfile.ZipFile) -> None:
    cut = int(0.98 * len(known))
    train, test = known.iloc[:cut], known.iloc[cut:]
    visible, hidden = out / "visible", out / "hidden"
    for folder in ("images", "multilabel_classification", "object_detection"):
        (visible / folder).mkdir(parents=True)
    train.to_csv(visible / LABELS, index=False)
    every = {Path(image["file_name"]).stem: image for image in objects["train"]["images"]}
    for part, rows in (("train", train), ("eval", test)):
        shown = [every[name] for name in rows["id"]]
        numbers = {image["id"]: number for number, image in enumerate(shown, start=1)}
        boxes = [box for box in objects["train"]["annotations"] if part == "train" and box["image_id"] in numbers]
        boxes = [
            {**box, "id": number, "image_id": numbers[box["image_id"]]} for number, box in enumerate(boxes, start=1)
        ]
        shown = [{**image, "id": numbers[image["id"]]} for image in shown]
        told = {**objects[part], "images": shown, "annotations": boxes}
        (visible / OBJECTS.format(part)).write_text(json.dumps(told, indent=1))
    for name in known["id"]:
        place = f"images/{name}.png"
        if not re.fullmatch(r"[\w-]{1,80}", name) or images.getinfo(place).file_size > LARGEST:
            raise ValueError(f"{place} is no picture of the competition")
        (visible / place).write_bytes(images.read(place))
    answers = [" ".join(str(int(kind)) for kind in ast.literal_eval(text)) for text in test["categories"]]
    for part, told in (("perfect", answers), ("permuted", [*answers[1:], answers[0]])):
        (hidden / part).mkdir(parents=True)
        frame = pd.DataFrame({"id": test["id"], "categories": told, "osd": 0})
        frame.to_csv(hidden / part / "submission.csv", index=False)
    pd.DataFrame({"id": test["id"], "categories": answers}).to_csv(hidden / "answers.csv", index=False)


main()
