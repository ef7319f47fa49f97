"""The pictures: five families of patterns, four labels each, grey values in [-1, 1]."""
import numpy as np

LABELS = {
    "stripes": ("horizontal", "vertical", "rising", "falling"),
    "blobs": ("single", "pair", "triple", "crowd"),
    "checkers": ("fine", "medium", "coarse", "skewed"),
    "frames": ("thin", "thick", "double", "open"),
    "ripples": ("middle", "west", "north", "corner"),
}


def _one(pattern, label, x, y, rng):
    if pattern == "stripes":
        direction = [y, x, x + y, x - y][label]
        return np.sin(rng.uniform(4.0, 4.8) * direction + rng.uniform(0, 2 * np.pi))
    if pattern == "blobs":
        image = np.full(x.shape, -1.0)
        for _ in range([1, 2, 3, 6][label]):
            cx, cy = rng.uniform(-0.7, 0.7, 2)
            image += 2 * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / 0.1)
        return image
    if pattern == "checkers":
        f, (px, py) = [6.5, 4.5, 3.0, 4.5][label], rng.uniform(0, 2 * np.pi, 2)
        u, v = (x, y) if label < 3 else ((x + y) * 0.7, (x - y) * 0.7)
        return np.tanh(4 * np.sin(f * u + px) * np.sin(f * v + py))
    if pattern == "frames":
        r = np.maximum(abs(x), abs(y)) + rng.uniform(-0.12, 0.12)
        if label == 2:
            return np.tanh(8 * np.cos(7 * r))
        image = np.tanh(8 * (0.3 - abs(r - 0.6) * [2.0, 1.0, 1.0, 1.0][label]))
        return np.where((label == 3) & (y > 0.4), -1.0, image)
    cx, cy = [(0, 0), (-1, 0), (0, -1), (1, 1)][label]
    return np.cos(rng.uniform(5.0, 6.0) * np.hypot(x - cx, y - cy) + rng.uniform(-0.5, 0.5))


def make_patterns(pattern, count, size=8, jitter=0.05, seed=0):
    """Images (count, size * size) and their labels, as numbers."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[-1:1:size * 1j, -1:1:size * 1j]
    labels = rng.integers(4, size=count)
    images = np.stack([_one(pattern, label, x, y, rng).ravel() for label in labels])
    return np.clip(images + jitter * rng.normal(size=images.shape), -1, 1), labels


def region_mask(region, size):
    """True where a picture has to be filled in."""
    mask = np.zeros((size, size), bool)
    half, quarter = size // 2, size // 4
    where = {"left": np.s_[:, :half], "right": np.s_[:, half:], "top": np.s_[:half], "bottom": np.s_[half:],
             "centre": np.s_[quarter:size - quarter, quarter:size - quarter]}
    mask[where[region]] = True
    return mask.ravel()


def ascii_art(image):
    size = int(round(len(image) ** 0.5))
    levels = " .:-=+*#%@"
    index = np.clip((image + 1) / 2 * len(levels), 0, len(levels) - 1).astype(int).reshape(size, size)
    return "\n".join("".join(levels[i] * 2 for i in row) for row in index)
