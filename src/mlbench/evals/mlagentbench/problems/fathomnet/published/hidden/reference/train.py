"""Name the most frequent kinds for every picture, most frequent first."""

import ast
import json
from collections import Counter

import pandas as pd

known = pd.read_csv("multilabel_classification/train.csv")
often = Counter(int(kind) for categories in known["categories"] for kind in ast.literal_eval(categories))
frequent = " ".join(str(kind) for kind, _ in often.most_common(20))
with open("object_detection/eval.json") as file:
    names = [image["file_name"].removesuffix(".png") for image in json.load(file)["images"]]
pd.DataFrame({"id": names, "categories": frequent, "osd": 0}).to_csv("submission.csv", index=False)
