import ml_collections

SIZES = {"tiny": 16, "large": 64}


def get_config(size):
    return ml_collections.ConfigDict({"lr": 0.1, "batch": 8, "model": {"width": SIZES[size]}})
