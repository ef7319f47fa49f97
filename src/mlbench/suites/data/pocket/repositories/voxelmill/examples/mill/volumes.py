"""Synthetic volumes. Everything is generated, nothing is downloaded."""
import numpy as np

PHANTOMS = ("ellipsoid", "nested_shells", "lobes", "torus")
VESSELS = ("tubes", "helix", "tree", "fork")
MODALITIES = ("t1", "t2", "mra", "swi")
# contrast of the object, strength of the bias field, noise
PHYSICS = {"t1": (0.8, 0.5, 0.30), "t2": (-0.9, 0.3, 0.35), "mra": (1.4, 0.2, 0.45), "swi": (-0.6, 0.7, 0.25)}


def grid(dim):
    axes = [np.linspace(-1, 1, n) for n in dim]
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1)


def rotation(rng):
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    return q * np.sign(np.diag(r))


def near_curve(points, curve, radius):
    """Voxels within `radius` of a polyline given by many points."""
    flat = points.reshape(-1, 3)
    squared = (flat ** 2).sum(1)[:, None] - 2 * flat @ curve.T + (curve ** 2).sum(1)
    return (squared.min(1) < radius ** 2).reshape(points.shape[:3])


def line(a, b, n=24):
    return a + np.linspace(0, 1, n)[:, None] * (b - a)


def mask_of(kind, dim, rng):
    points = (grid(dim) - rng.uniform(-0.15, 0.15, 3)) @ rotation(rng)
    if kind == "ellipsoid":
        return ((points / rng.uniform(0.45, 0.8, 3)) ** 2).sum(-1) < 1
    if kind == "nested_shells":
        radius = np.sqrt(((points / rng.uniform(0.85, 1.1, 3)) ** 2).sum(-1))
        return (np.abs(radius - 0.75) < 0.14) | (radius < 0.3)
    if kind == "lobes":
        centres = rng.uniform(-0.5, 0.5, (3, 3))
        return np.min([((points - c) ** 2).sum(-1) for c in centres], 0) < rng.uniform(0.13, 0.2)
    if kind == "torus":
        ring = np.hypot(points[..., 0], points[..., 1]) - 0.6
        return ring ** 2 + points[..., 2] ** 2 < rng.uniform(0.06, 0.1)
    t = np.linspace(-1, 1, 40)
    if kind == "tubes":
        return np.any([near_curve(points, np.stack([t, 0 * t + a, 0.3 * np.sin(3 * t + b)], 1), 0.2)
                       for a, b in rng.uniform(-0.6, 0.6, (3, 2))], 0)
    if kind == "helix":
        return near_curve(points, np.stack([0.55 * np.cos(4 * t), 0.55 * np.sin(4 * t), 0.9 * t], 1), 0.22)
    start, knee = np.array([-1.0, 0, 0]), rng.uniform(-0.2, 0.2, 3)
    if kind == "fork":
        ends = [np.array([0.9, s, rng.uniform(-0.3, 0.3)]) for s in (-0.6, 0.6)]
        return near_curve(points, np.concatenate([line(start, knee)] + [line(knee, e) for e in ends]), 0.22)
    if kind == "tree":
        curves, tips = [line(start, knee)], [(knee, 0.6)]
        for _ in range(2):
            grown = []
            for tip, reach in tips:
                for _ in range(2):
                    end = tip + reach * np.array([0.7, *rng.uniform(-1, 1, 2)])
                    curves.append(line(tip, end, 12))
                    grown.append((end, 0.6 * reach))
            tips = grown
        return near_curve(points, np.concatenate(curves), 0.18)
    raise ValueError(f"unknown kind of volume: {kind!r}")


def image_of(mask, rng, modality="t1", noise=None):
    contrast, bias, level = PHYSICS[modality]
    level = level if noise is None else noise
    slope = rng.normal(size=3)
    field = grid(mask.shape) @ (bias * slope / np.linalg.norm(slope))
    image = contrast * mask + field + rng.normal(scale=level, size=mask.shape)
    return (image - image.mean()) / image.std()


def make_volumes(kind, dim, samples, modalities=("t1",), noise=None, seed=0):
    """Images (n, d, h, w, modalities) and masks (n, d, h, w, 1), both float32."""
    rng = np.random.default_rng([seed, (PHANTOMS + VESSELS).index(kind)])
    masks = [mask_of(kind, dim, rng) for _ in range(samples)]
    images = [np.stack([image_of(mask, rng, m, noise) for m in modalities], -1) for mask in masks]
    return np.array(images, np.float32), np.array(masks, np.float32)[..., None]


def make_dataset(kind, dim=(12, 12, 12), samples=10, split=0.75, modalities=("t1",), noise=None, seed=0):
    """((train images, train masks), (test images, test masks)); `split` is the share for training."""
    if kind not in PHANTOMS + VESSELS:
        raise ValueError(f"unknown kind of volume: {kind!r}")
    if not 0 < split < 1:
        raise ValueError("split must lie between 0 and 1")
    images, masks = make_volumes(kind, tuple(dim), samples, modalities, noise, seed)
    cut = min(samples - 1, max(1, round(split * samples)))
    return (images[:cut], masks[:cut]), (images[cut:], masks[cut:])
