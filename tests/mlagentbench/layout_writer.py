"""Write tiny files of the published layout that need torch's environment: python layout_writer.py NAME FOLDER ROWS."""

import json
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

WORDS = ["film", "plot", "actor", "music", "scene", "long", "the", "a", "of", "and"]
OPINIONS = {0: ["dull", "awful"], 1: ["superb", "moving"], -1: ["superb", "dull"]}


def imdb(folder: Path, rows: int) -> None:
    """So many reviews of each kind, negative ones first, as on the Hub; a tiny DistilBERT with its tokenizer."""
    from transformers import DistilBertConfig, DistilBertForMaskedLM, DistilBertTokenizer

    rng = np.random.default_rng(31)
    halves = [0] * rows + [1] * rows
    for part, labels in (("train", halves), ("test", halves), ("unsupervised", [-1] * rows)):
        texts = [f"{' '.join(rng.choice(WORDS, 12))}<br /><br />{rng.choice(OPINIONS[label])}" for label in labels]
        frame = pd.DataFrame({"text": texts, "label": labels})
        frame.to_parquet(folder / f"{part}-00000-of-00001.parquet", index=False)
    words = [*WORDS, *(word for some in OPINIONS.values() for word in some), "<", ">", "/", "br"]
    vocabulary = list(dict.fromkeys(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]))
    config = DistilBertConfig(vocab_size=len(vocabulary), dim=32, n_layers=1, n_heads=2, hidden_dim=64)
    with tempfile.TemporaryDirectory() as place:
        DistilBertTokenizer(vocab={word: number for number, word in enumerate(vocabulary)}).save_pretrained(place)
        DistilBertForMaskedLM(config).save_pretrained(place)
        for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"):
            (folder / name).write_bytes(Path(place, name).read_bytes())
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")


def fathomnet(folder: Path, rows: int) -> None:
    """The competition's tables, and small PNG files."""
    from PIL import Image

    rng = np.random.default_rng(32)
    names = [f"{number:08x}-772d-486d-b8e2-b651246316b5" for number in range(rows)]
    shown = [sorted(rng.choice(range(1, 291), rng.integers(1, 4), replace=False).tolist()) for _ in names]
    table = pd.DataFrame({"id": names, "categories": [str([float(kind) for kind in kinds]) for kinds in shown]})
    images = [
        {"id": number, "width": 64, "height": 48, "file_name": f"{name}.png", "coco_url": "", "date_captured": ""}
        for number, name in enumerate(names, start=1)
    ]
    boxes = [(image["id"], kind) for image, kinds in zip(images, shown, strict=True) for kind in kinds]
    annotations = [
        {"id": number, "image_id": image, "category_id": kind, "bbox": [1.0, 2.0, 9.0, 8.0], "area": 72.0, "iscrowd": 0}
        for number, (image, kind) in enumerate(boxes, start=1)
    ]
    kinds = [{"id": number, "name": f"kind {number}", "supercategory": "Fish"} for number in range(1, 291)]
    train = {"info": {}, "images": images, "annotations": annotations, "categories": kinds, "licenses": []}
    key = pd.DataFrame([{"id": each["id"], "name": each["name"], "supercat": "Fish"} for each in kinds])
    with zipfile.ZipFile(folder / "fathomnet.zip", "w") as packed:
        packed.writestr("category_key.csv", key.to_csv(index=False))
        packed.writestr("multilabel_classification/train.csv", table.to_csv(index=False))
        packed.writestr("object_detection/train.json", json.dumps(train))
        packed.writestr("object_detection/eval.json", json.dumps({**train, "images": [], "annotations": []}))
    with zipfile.ZipFile(folder / "images-png.zip", "w") as packed, tempfile.TemporaryDirectory() as place:
        for name in names:
            pixels = rng.integers(0, 255, (48, 64, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(Path(place, "one.png"))
            packed.write(Path(place, "one.png"), f"images/{name}.png")


if __name__ == "__main__":
    {"imdb": imdb, "fathomnet": fathomnet}[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))
