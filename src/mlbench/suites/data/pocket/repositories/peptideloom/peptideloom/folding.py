"""From contact probabilities to a C-alpha trace, by gradient descent on distances."""
import numpy as np

BOND = 3.8


def initial_trace(length, seed=0):
    rng = np.random.default_rng(seed)
    turn = np.arange(length) * 1.745
    helix = np.stack([2.3 * np.cos(turn), 2.3 * np.sin(turn), 1.5 * np.arange(length)], 1)
    return helix + rng.normal(scale=0.2, size=helix.shape)


def stress_and_gradient(xyz, target, weight):
    difference = xyz[:, None] - xyz[None]
    distance = np.sqrt((difference ** 2).sum(-1) + 1e-6)
    error = distance - target
    stress = float((weight * error ** 2).sum() / weight.sum())
    gradient = 4 * ((weight * error / distance)[..., None] * difference).sum(1) / weight.sum(1, keepdims=True)
    return stress, gradient


def fold(contacts, recycles, steps, cutoff, relax=False, seed=0):
    """(coordinates, stress of every recycle). A recycle refines the contacts with the last trace."""
    length = len(contacts)
    separation = np.abs(np.subtract.outer(np.arange(length), np.arange(length)))
    xyz, history = initial_trace(length, seed), []
    probability = contacts.copy()
    for _ in range(recycles):
        likely = probability > np.quantile(probability[separation > 3], 0.9)
        target = np.where(likely, cutoff - 1.5, np.minimum(cutoff + 1.5 * np.sqrt(separation), 3.2 * separation + 1))
        weight = np.where(likely, probability, 0.15)
        target = np.where(separation == 1, BOND, np.where(separation == 2, 5.5, target))
        weight = np.where(separation == 1, 4.0, weight)
        np.fill_diagonal(weight, 0)
        for _ in range(steps):
            stress, gradient = stress_and_gradient(xyz, target, weight)
            xyz = xyz - 0.15 * gradient
        history.append(stress)
        now = np.sqrt(((xyz[:, None] - xyz[None]) ** 2).sum(-1))
        probability = 0.7 * probability + 0.3 / (1 + np.exp(now - cutoff))
    if relax:
        for _ in range(20):
            step = np.diff(xyz, axis=0)
            size = np.linalg.norm(step, axis=1, keepdims=True)
            push = 0.25 * step * (1 - BOND / size)
            xyz[:-1] += push
            xyz[1:] -= push
    return xyz, history


def radius_of_gyration(xyz):
    return float(np.sqrt(((xyz - xyz.mean(0)) ** 2).sum(1).mean()))


def write_trace(path, record, xyz):
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(f"REMARK {record.name}\n")
        for i, (letter, (x, y, z)) in enumerate(zip(record.sequence, xyz), 1):
            handle.write(f"CA {i:4d} {letter} {x:9.3f} {y:9.3f} {z:9.3f}\n")
        handle.write("END\n")
