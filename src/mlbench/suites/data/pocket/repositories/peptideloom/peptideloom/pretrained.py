"""Named models: `model, alphabet = load("loom1_t4_s")`."""
from .alphabet import Alphabet
from .model import LoomModel

MODELS = {
    "loom1_t3_xs": dict(layers=3, dim=16, heads=2, generation=1, seed=101),
    "loom1_t4_s": dict(layers=4, dim=24, heads=2, generation=1, seed=102),
    "loom1_t6_m": dict(layers=6, dim=32, heads=4, generation=1, seed=103),
    "loom1_t8_l": dict(layers=8, dim=40, heads=4, generation=1, seed=104),
    "loom2_t5_m": dict(layers=5, dim=32, heads=4, generation=2, seed=205),
}


def available():
    return sorted(MODELS)


def load(name):
    """The model of this name and its alphabet."""
    if name not in MODELS:
        raise ValueError(f"unknown model {name!r}; there are {', '.join(available())}")
    alphabet = Alphabet()
    return LoomModel(name, alphabet=alphabet, **MODELS[name]), alphabet
