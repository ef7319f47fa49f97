"""Pictures and sentences made ready for a model."""

import re

import numpy as np

SIZE = 20


def load_image(path):
    """Read a plain-text PPM (P3) file into an array (height, width, 3) of uint8."""
    with open(path, encoding="ascii") as handle:
        words = " ".join(line.split("#")[0] for line in handle).split()
    if not words or words[0] != "P3":
        raise ValueError(f"{path} is not a plain PPM (P3) file")
    width, height, top = (int(w) for w in words[1:4])
    values = np.array([int(w) for w in words[4:]], float)
    if values.size != width * height * 3:
        raise ValueError(f"{path} is cut short")
    return np.rint(values.reshape(height, width, 3) * 255 / top).astype(np.uint8)


def save_image(path, image):
    height, width, _ = image.shape
    with open(path, "w", encoding="ascii") as handle:
        handle.write(f"P3\n{width} {height}\n255\n")
        for row in image:
            handle.write(" ".join(str(int(v)) for v in row.ravel()) + "\n")


class ImageEval:
    """uint8 (H, W, 3) -> float (3, 20, 20) in [-1, 1]; nearest-neighbour resize."""

    def __call__(self, image):
        image = np.asarray(image)
        if image.ndim != 3 or image.shape[2] != 3:
            raise ValueError(f"expected an image of shape (height, width, 3), got {image.shape}")
        rows = np.arange(SIZE) * image.shape[0] // SIZE
        cols = np.arange(SIZE) * image.shape[1] // SIZE
        return (image[rows][:, cols].astype(float) / 127.5 - 1.0).transpose(2, 0, 1)


class ImageTrain(ImageEval):
    """The same with a little brightness jitter."""

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)

    def __call__(self, image):
        return np.clip(super().__call__(image) * (1 + 0.05 * self.rng.standard_normal()), -1, 1)


class CaptionProcessor:
    def __init__(self, prompt="", max_words=30):
        self.prompt, self.max_words = prompt, max_words

    def __call__(self, text):
        words = re.sub(r"[^a-z0-9 ]+", " ", (self.prompt + text).lower()).split()
        return " ".join(words[: self.max_words])
