"""Labelled sets of generated clouds."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from pointfold.geometry import rotation
from pointfold.shapes import FAMILIES, sample_shape


def build(make, count, workers=0):
    """[make(0), ..., make(count - 1)], by `workers` threads if there are any."""
    if workers <= 0:
        return [make(i) for i in range(count)]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(make, range(count)))


def class_names(family):
    return [f.__name__ for f in FAMILIES[family]]


def labelled_clouds(family, per_class, num_points, seed, normals=False, workers=0):
    """Arrays (clouds, points, 3 or 6) and (clouds,)."""
    names = class_names(family)

    def make(i):
        xyz, nrm, _ = sample_shape(names[i % len(names)], num_points,
                                   np.random.default_rng([seed, i]))
        return np.hstack([xyz, nrm]) if normals else xyz

    count = per_class * len(names)
    return np.stack(build(make, count, workers)), np.arange(count) % len(names)


def turn(clouds, kind, rng):
    """Rotate every cloud (points and normals): kind none, z or so3."""
    if kind == "none":
        return clouds
    out = clouds.copy()
    for cloud in out:
        axis = (0, 0, 1) if kind == "z" else rng.normal(size=3)
        r = rotation(axis, rng.uniform(0, 360))
        for start in range(0, cloud.shape[1], 3):
            cloud[:, start:start + 3] = cloud[:, start:start + 3] @ r.T
    return out


def jitter(clouds, sigma, rng):
    out = clouds.copy()
    out[..., :3] += np.clip(rng.normal(size=out[..., :3].shape) * sigma, -5 * sigma, 5 * sigma)
    return out


def batches(order, size):
    for start in range(0, len(order), size):
        yield order[start:start + size]
