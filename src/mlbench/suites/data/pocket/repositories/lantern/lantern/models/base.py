"""The frozen vision tower, the word tables and the common parts of all models."""

import zlib

import numpy as np

from lantern.datasets.scenes import ANSWERS, COLOURS, GROUNDS, NUMBERS, PLACES, SHAPES

WORDS = ["<pad>", "<start>", "<end>", "a", "on", "ground", "at", "the", "shapes", "small", "large"]
WORDS += list(COLOURS) + SHAPES + list(GROUNDS) + list(PLACES) + NUMBERS
INDEX = {word: i for i, word in enumerate(WORDS)}
QUESTION_WORDS = ["what", "colour", "shape", "how", "many", "where", "like", "size", "is", "it", "there"]
TEXT_TERMS = WORDS[3:] + [w for w in QUESTION_WORDS if w not in WORDS]
TERM_INDEX = {word: i for i, word in enumerate(TEXT_TERMS)}
BUCKETS = 8


class VisionTower:
    """Fixed features: colours, saliency pooled in patches, figure statistics, a random expansion."""

    def __init__(self, patch, width, seed=3):
        if 20 % patch:
            raise ValueError("the patch size must divide 20")
        self.patch = patch
        rng = np.random.default_rng(seed)
        self.raw = (20 // patch) ** 2 + 21
        self.expand = rng.standard_normal((self.raw, width)) * 1.2 / np.sqrt(self.raw)
        self.bias = rng.standard_normal(width) * 0.3
        self.dim = self.raw + width

    def __call__(self, images):
        x = np.asarray(images, float)
        if x.ndim != 4 or x.shape[1:] != (3, 20, 20):
            raise ValueError(f"expected a batch of shape (n, 3, 20, 20), got {x.shape}")
        n = len(x)
        border = np.concatenate([x[:, :, 0], x[:, :, -1], x[:, :, :, 0], x[:, :, :, -1]], axis=2)
        ground = np.median(border, axis=2)
        diff = np.abs(x - ground[:, :, None, None]).sum(1)
        saliency = diff / np.maximum(diff.max((1, 2), keepdims=True), 1e-6)
        mask = saliency > 0.5
        area = np.maximum(mask.sum((1, 2)), 1).astype(float)
        colour = (x * mask[:, None]).sum((2, 3)) / area[:, None]
        rows, cols = mask.any(2), mask.any(1)
        top, left = rows.argmax(1), cols.argmax(1)
        high = 20 - rows[:, ::-1].argmax(1) - top
        wide = 20 - cols[:, ::-1].argmax(1) - left
        grid = np.arange(20)
        cy = (mask.sum(2) * grid).sum(1) / area
        cx = (mask.sum(1) * grid).sum(1) / area
        runs_r = np.maximum(np.diff(rows.astype(int), axis=1), 0).sum(1)
        runs_c = np.maximum(np.diff(cols.astype(int), axis=1), 0).sum(1)
        fill = area / (high * wide)
        dy = (grid[None, :, None] - (top + (high - 1) / 2)[:, None, None]) / high[:, None, None]
        dx = (grid[None, None, :] - (left + (wide - 1) / 2)[:, None, None]) / wide[:, None, None]
        lean = (mask * dy).sum((1, 2)) / area * 10
        core = (mask & (np.abs(dy) < 0.2) & (np.abs(dx) < 0.2)).sum((1, 2)) / area * 4
        corner = (mask & (np.abs(dy) > 0.3) & (np.abs(dx) > 0.3)).sum((1, 2)) / area * 4
        stats = np.stack([
            area / 50 - 1, high / 8 - 1, wide / 8 - 1, (cy - 9.5) / 3, (cx - 9.5) / 3, (runs_r - 1.0) * 2,
            (runs_c - 1.0) * 2, (fill - 0.6) * 5, lean, core - 0.4, corner - 0.4,
            (np.abs(colour - ground).sum(1)) / 2, np.maximum(colour[:, 0] - colour[:, 1], 0),
            np.maximum(colour[:, 2] - colour[:, 1], 0), colour.min(1),
        ], axis=1)
        p = self.patch
        pooled = saliency.reshape(n, 20 // p, p, 20 // p, p).mean((2, 4)).reshape(n, -1) * (p / 10)
        raw = np.concatenate([stats, colour, ground * 1.5, pooled], axis=1)
        return np.concatenate([raw, np.tanh(raw @ self.expand + self.bias)], axis=1)


def bag_of_words(texts):
    """Counts of the known words; unknown words are hashed into a few buckets."""
    out = np.zeros((len(texts), len(TEXT_TERMS) + BUCKETS))
    for row, text in zip(out, texts):
        for word in text.lower().split():
            if word not in TERM_INDEX and word.endswith("s") and word[:-1] in TERM_INDEX:
                word = word[:-1]
            if word in TERM_INDEX:
                row[TERM_INDEX[word]] += 1.0
            else:
                row[len(TEXT_TERMS) + zlib.crc32(word.encode()) % BUCKETS] += 0.3
    return out


TEXT_DIM = len(TEXT_TERMS) + BUCKETS
ANSWER_INDEX = {word: i for i, word in enumerate(ANSWERS)}


def softmax(z):
    z = np.exp(z - z.max(-1, keepdims=True))
    return z / z.sum(-1, keepdims=True)


class BaseModel:
    training = True

    def __init__(self, patch, width):
        self.vision = VisionTower(patch, width)
        self.params = {}

    def init(self, seed=1, **shapes):
        rng = np.random.default_rng(seed)
        for name, shape in shapes.items():
            scale = 0.0 if len(shape) == 1 else 1.0 / np.sqrt(shape[0])
            self.params[name] = rng.standard_normal(shape) * scale

    def features(self, samples):
        return samples["features"] if "features" in samples else self.vision(samples["image"])

    def num_parameters(self):
        return sum(v.size for v in self.params.values())

    def eval(self):
        self.training = False
        return self

    def save_checkpoint(self, path):
        np.savez(path, **self.params)

    def load_checkpoint(self, path):
        with np.load(path) as stored:
            for name, value in self.params.items():
                if name not in stored or stored[name].shape != value.shape:
                    raise ValueError(f"{path} does not fit this model ({name})")
                value[...] = stored[name]
