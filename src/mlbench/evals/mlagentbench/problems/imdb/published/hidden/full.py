"""Reviews of IMDb as published on the Hugging Face Hub, and the weights of DistilBERT.

RAW/PART-00000-of-00001.parquet   train, test, unsupervised: the columns text and label (0, 1; -1 in unsupervised)
RAW/NAME                          files of distilbert-base-uncased, as they are
"""

import shutil

import numpy as np
import pandas as pd
from mlbench_preparing import called

PARTS = {part: f"{part}-00000-of-00001.parquet" for part in ("train", "test", "unsupervised")}
WEIGHTS = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt"]
README = """---
configs:
- config_name: plain_text
  default: true
  data_files:
"""


def main() -> None:
    args = called()
    data, weights = args.out / "visible/imdb/plain_text", args.out / "visible/distilbert-base-uncased"
    data.mkdir(parents=True)
    weights.mkdir()
    for part in ("train", "unsupervised"):
        shutil.copyfile(args.raw / PARTS[part], data / PARTS[part])
    for name in WEIGHTS:
        shutil.copyfile(args.raw / name, weights / name)
    lines = "".join(f"  - split: {part}\n    path: plain_text/{part}-*\n" for part in PARTS)
    (data.parent / "README.md").write_text(f"{README}{lines}---\n")
    try:
        test = pd.read_parquet(args.raw / PARTS["test"], columns=["text", "label"])
    except (OSError, ValueError, KeyError) as error:
        raise SystemExit(f"{PARTS['test']}: cannot be read: {' '.join(str(error).split())}") from None
    if not len(test) or not test["label"].isin([0, 1]).all():
        raise SystemExit(f"{PARTS['test']}: a label is neither 0 nor 1; it is not the published table")
    order = np.random.default_rng().permutation(len(test))  # not by the seed, which is known: it would tell the labels
    test = test.iloc[order].reset_index(drop=True)
    test.assign(label=-1).to_parquet(data / PARTS["test"], index=False)
    answers, hidden = test["label"].to_numpy(), args.out / "hidden"
    for part, told in (("perfect", answers), ("permuted", np.roll(answers, 1))):
        (hidden / part).mkdir(parents=True)
        pd.DataFrame(np.eye(2)[told]).to_csv(hidden / part / "submission.csv", index_label="idx")
    pd.DataFrame({"label": answers}).to_csv(hidden / "answers.csv", index_label="idx")


main()
