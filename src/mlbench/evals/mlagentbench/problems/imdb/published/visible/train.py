"""Fine-tune DistilBERT on IMDb. Most of it is missing."""

import os

os.environ.setdefault("HF_HOME", "/tmp/huggingface")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import pandas as pd
import torch
from datasets import load_dataset

if __name__ == "__main__":
    imdb = load_dataset("imdb")

    # To do: preprocess the data

    model = None  # To do: define a model

    # To do: train it on imdb["train"]

    rows = []
    for review in imdb["test"]:
        scores = model(review["text"])  # To do: two scores, negative and positive
        rows.append(torch.softmax(scores, dim=0).tolist())
    pd.DataFrame(rows).to_csv("submission.csv", index_label="idx")
