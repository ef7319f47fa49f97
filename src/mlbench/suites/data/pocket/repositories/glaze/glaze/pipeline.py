"""Everything together: configuration, data, model, sampler."""
import os

import numpy as np

from .config import Config, ConfigError, check
from .model import Denoiser, train
from .patterns import LABELS, make_patterns, region_mask
from .samplers import guided, inpaint, noise_levels, sample


class Pipeline:
    def __init__(self, config):
        self.config = config
        self.labels = LABELS[config["data.pattern"]]
        self.fitted = False
        self.model = Denoiser(config["data.size"] ** 2, len(self.labels), config["model.width"],
                              config["model.depth"], config["model.activation"], config["seed"])

    @classmethod
    def from_config(cls, path, overrides=()):
        """A pipeline from a YAML file; overrides are {"sampler.steps": 12} or ["sampler.steps=12"]."""
        return cls(Config.load(path, overrides))

    def pictures(self, count, seed=None):
        """True pictures and their labels (not those of the training set if a seed is given)."""
        c = self.config
        return make_patterns(c["data.pattern"], count, c["data.size"], c["data.jitter"],
                             c["seed"] if seed is None else seed)

    def fit(self, report=None):
        """Train the denoiser; returns the pipeline, the losses stand in .losses."""
        c = self.config
        images, labels = self.pictures(c["data.count"])
        self.losses = train(
            self.model, images, labels, iterations=c["train.iterations"], batch=c["train.batch"], lr=c["train.lr"],
            sigma_min=c["schedule.sigma_min"], sigma_max=c["schedule.sigma_max"],
            label_dropout=c["model.label_dropout"], weighting=c["train.weighting"], ema=c["train.ema"],
            seed=c["seed"], report=report)
        self.fitted = True
        return self

    def save(self, path):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        np.savez(path, *self.model.weights)

    def load(self, path):
        try:
            with np.load(path) as archive:
                weights = [archive[f"arr_{i}"] for i in range(len(archive.files))]
        except (OSError, ValueError) as error:
            raise ConfigError(f"cannot load weights from {path}: {error}") from None
        if [w.shape for w in weights] != [w.shape for w in self.model.weights]:
            raise ConfigError(f"the weights in {path} do not fit model.* and data.* of this configuration")
        self.model.weights, self.fitted = weights, True
        return self

    def set_sampler(self, name, steps=None):
        """Another sampler for the same model."""
        self.config["sampler.name"] = check("sampler.name", name)
        if steps is not None:
            self.config["sampler.steps"] = check("sampler.steps", steps)

    def _levels(self, steps=None):
        c = self.config
        return noise_levels(c["schedule.kind"], steps or c["sampler.steps"], c["schedule.sigma_min"],
                            c["schedule.sigma_max"])

    def _numbers(self, label, count, rng):
        if label == "any":
            return rng.integers(len(self.labels), size=count)
        if label not in self.labels:
            raise ConfigError(f"output.label: {label!r} is not any or one of {', '.join(self.labels)}")
        return np.full(count, self.labels.index(label))

    def _ready(self):
        if not self.fitted:
            raise RuntimeError("call fit() or load() first")

    def generate(self, count=None, label=None, guidance=None, steps=None, seed=None):
        """New pictures and their labels; what is not given comes from the configuration."""
        self._ready()
        c = self.config
        count = check("output.count", c["output.count"] if count is None else count)
        guidance = check("sampler.guidance", c["sampler.guidance"] if guidance is None else guidance)
        rng = np.random.default_rng((c["seed"] if seed is None else seed) + 2)
        numbers = self._numbers(c["output.label"] if label is None else label, count, rng)
        images = sample(c["sampler.name"], guided(self.model, numbers, guidance), (count, self.model.pixels),
                        self._levels(steps), rng, c["sampler.eta"])
        return images, numbers

    def inpaint(self, images, labels, region=None, rounds=None):
        """Fill in a region of pictures; the rest stays as it is."""
        self._ready()
        c = self.config
        region = check("inpaint.region", c["inpaint.region"] if region is None else region)
        rounds = check("inpaint.rounds", c["inpaint.rounds"] if rounds is None else rounds)
        return inpaint(c["sampler.name"], guided(self.model, labels, c["sampler.guidance"]), images,
                       region_mask(region, c["data.size"]), self._levels(), np.random.default_rng(c["seed"] + 3),
                       c["sampler.eta"], rounds)

    def accuracy(self, images, numbers):
        """Share of the pictures whose nearest true neighbours carry the wanted label (1 is best)."""
        true, labels = self.pictures(400, seed=self.config["seed"] + 1000)
        distance = (true ** 2).sum(1) - 2 * images @ true.T
        near = labels[np.argsort(distance, axis=1)[:, :5]]
        votes = np.stack([(near == k).sum(1) for k in range(len(self.labels))], 1)
        return float((votes.argmax(1) == numbers).mean())

    def distance(self, images):
        """Energy distance to fresh true pictures (0 is best)."""
        true, _ = self.pictures(300, seed=self.config["seed"] + 2000)

        def mean(a, b):
            d = (a * a).sum(1)[:, None] + (b * b).sum(1) - 2 * a @ b.T
            return np.sqrt(np.maximum(d, 0)).mean()

        def spread(a):
            return mean(a, a) * len(a) / max(1, len(a) - 1)

        return float(2 * mean(images, true) - spread(images) - spread(true))
