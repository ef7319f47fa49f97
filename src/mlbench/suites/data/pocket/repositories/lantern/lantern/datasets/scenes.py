"""Generated pictures (20 x 20, RGB) with their captions, questions and answers."""

import numpy as np

from lantern.common.registry import registry

SIZE = 20
SHAPES = ["circle", "square", "triangle", "cross", "ring"]
COLOURS = {
    "red": (220, 40, 40), "green": (40, 190, 70), "blue": (50, 80, 225),
    "yellow": (235, 220, 60), "white": (250, 250, 250), "violet": (160, 60, 200),
}
GROUNDS = {"dark": (15, 15, 20), "grey": (115, 120, 120), "sand": (190, 165, 120)}
PLACES = {"middle": (9.5, 9.5), "left": (9.5, 5.5), "right": (9.5, 13.5), "top": (5.5, 9.5), "bottom": (13.5, 9.5)}
NUMBERS = ["one", "two", "three", "four"]
SPOTS = [(5, 5), (5, 14), (14, 5), (14, 14)]

ANSWERS = list(COLOURS) + SHAPES + NUMBERS + list(PLACES) + list(GROUNDS) + ["small", "large"]

QUESTIONS = {
    "colour": "what colour is it",
    "shape": "what shape is it",
    "number": "how many shapes are there",
    "place": "where is the shape",
    "ground": "what is the ground like",
    "size": "what size is it",
}

ROWS, COLUMNS = np.mgrid[0:SIZE, 0:SIZE].astype(float)


def shape_mask(shape, cy, cx, r):
    y, x = ROWS - cy, COLUMNS - cx
    if shape == "circle":
        return y * y + x * x <= r * r
    if shape == "square":
        return np.maximum(abs(y), abs(x)) <= r * 0.85
    if shape == "triangle":
        return (y <= r * 0.8) & (y >= 2 * abs(x) - r)
    if shape == "cross":
        return ((abs(x) <= r * 0.3) & (abs(y) <= r)) | ((abs(y) <= r * 0.3) & (abs(x) <= r))
    if shape == "ring":
        d = np.sqrt(y * y + x * x)
        return (d <= r) & (d >= r * 0.55)
    raise ValueError(f"unknown shape {shape!r}")


def draw(scene, texture=False):
    image = np.empty((SIZE, SIZE, 3))
    image[:] = GROUNDS[scene["ground"]]
    if texture:
        image += (10.0 * ((ROWS // 2 + COLUMNS // 2) % 2))[..., None]
    radius = 5.4 if scene["size"] == "large" else 3.6
    if scene["number"] == "one":
        spots = [PLACES[scene["place"]]]
    else:
        spots = SPOTS[: NUMBERS.index(scene["number"]) + 1]
    for cy, cx in spots:
        image[shape_mask(scene["shape"], cy, cx, radius)] = COLOURS[scene["colour"]]
    return np.clip(image, 0, 255).astype(np.uint8)


def caption_of(scene):
    if scene["number"] == "one":
        return f"a {scene['size']} {scene['colour']} {scene['shape']} on {scene['ground']} ground at the {scene['place']}"
    return f"{scene['number']} {scene['size']} {scene['colour']} {scene['shape']} shapes on {scene['ground']} ground"


def random_scene(rng):
    return {
        "shape": SHAPES[rng.integers(len(SHAPES))],
        "colour": list(COLOURS)[rng.integers(len(COLOURS))],
        "ground": list(GROUNDS)[rng.integers(len(GROUNDS))],
        "place": list(PLACES)[rng.integers(len(PLACES))],
        "size": ["small", "large"][rng.integers(2)],
        "number": "one",
    }


class Scenes:
    """Items: dictionaries with image (uint8), caption, question, answer."""

    texture = False
    extra_noise = 0.0

    def __init__(self, split, count, noise=0.0):
        seed = {"train": 11, "val": 12, "test": 13}[split]
        rng = np.random.default_rng([seed, len(type(self).__name__)])
        self.items = []
        for _ in range(count):
            scene = self.scene(rng)
            image = draw(scene, self.texture).astype(float)
            level = noise + self.extra_noise
            image += 255 * level * rng.standard_normal(image.shape)
            about = list(QUESTIONS)[rng.integers(len(QUESTIONS))]
            if about == "place" and scene["number"] != "one":
                about = "number"
            self.items.append({
                "image": np.clip(image, 0, 255).astype(np.uint8),
                "caption": caption_of(scene),
                "question": QUESTIONS[about],
                "answer": scene[about],
            })

    def scene(self, rng):
        return random_scene(rng)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


@registry.register_dataset("glyph_scenes")
class GlyphScenes(Scenes):
    pass


@registry.register_dataset("bead_counts")
class BeadCounts(Scenes):
    def scene(self, rng):
        scene = random_scene(rng)
        scene["size"] = "small"
        scene["shape"] = ["circle", "ring"][rng.integers(2)]
        scene["number"] = NUMBERS[rng.integers(4)]
        return scene


@registry.register_dataset("dusk_views")
class DuskViews(Scenes):
    extra_noise = 0.04

    def scene(self, rng):
        scene = random_scene(rng)
        scene["ground"] = ["dark", "grey"][rng.integers(2)]
        return scene


@registry.register_dataset("tile_world")
class TileWorld(Scenes):
    texture = True


@registry.register_dataset("mixed")
class Mixed(Scenes):
    def scene(self, rng):
        scene = random_scene(rng)
        if rng.random() < 0.5:
            scene["size"], scene["number"] = "small", NUMBERS[rng.integers(4)]
        return scene


def build_dataset(name, split, count, noise=0.0):
    return registry.get("dataset", name)(split, count, noise)
