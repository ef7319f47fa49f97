"""Reading of examples and of the labelled sets, and batching."""

import csv
import glob
import json
import os

import numpy as np

TASKS = {
    "mood": ["glad", "sour"],
    "topic": ["sea", "kitchen", "garden", "family", "trade"],
    "tense": ["past", "present", "future"],
    "formality": ["plain", "polite"],
    "samehand": ["no", "yes"],
}
PAIR_TASKS = ("samehand",)


def read_examples(patterns):
    """Examples written by create_examples.py; `patterns` is a list of file names or globs."""
    examples = []
    for pattern in patterns:
        names = sorted(glob.glob(pattern))
        if not names:
            raise FileNotFoundError(f"no examples match {pattern}")
        for name in names:
            with open(name, encoding="utf-8") as handle:
                examples.extend(json.loads(line) for line in handle if line.strip())
    if not examples:
        raise ValueError("the examples files are empty")
    return examples


def pad_batch(id_lists, segment_lists):
    length = max(map(len, id_lists))
    ids = np.zeros((len(id_lists), length), np.int64)
    segments = np.zeros_like(ids)
    mask = np.zeros(ids.shape, np.float32)
    for i, (row, seg) in enumerate(zip(id_lists, segment_lists)):
        ids[i, :len(row)] = row
        segments[i, :len(row)] = seg
        mask[i, :len(row)] = 1.0
    return ids, segments, mask


def example_batch(examples):
    ids, segments, mask = pad_batch([e["ids"] for e in examples], [[0] * len(e["ids"]) for e in examples])
    rows = [i for i, e in enumerate(examples) for _ in e["positions"]]
    return {
        "ids": ids, "segments": segments, "mask": mask,
        "rows": np.array(rows),
        "cols": np.array([p for e in examples for p in e["positions"]]),
        "labels": np.array([t for e in examples for t in e["labels"]]),
    }


def read_task(task_name, data_dir, split):
    """Rows (label number or None, text, second text or None) of DATA_DIR/TASK/SPLIT.tsv."""
    labels = TASKS[task_name]
    path = os.path.join(data_dir, task_name, f"{split}.tsv")
    rows = []
    with open(path, encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle, delimiter="\t", quoting=csv.QUOTE_NONE):
            label = labels.index(row["label"]) if row.get("label") else None
            rows.append((label, row["text"], row["pair"] if task_name in PAIR_TASKS else None))
    return rows
