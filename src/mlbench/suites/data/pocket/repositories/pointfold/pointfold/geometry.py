"""Rigid motions, distances and ICP."""
from dataclasses import dataclass

import numpy as np

METHODS = ("point", "plane", "trimmed")


def rotation(axis, degrees):
    """Rodrigues' formula."""
    axis = np.asarray(axis, dtype=float)
    axis = axis / np.linalg.norm(axis)
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    a = np.deg2rad(degrees)
    return np.eye(3) + np.sin(a) * k + (1 - np.cos(a)) * k @ k


def random_pose(rng, max_angle=45.0, max_shift=0.2):
    """Rotation by up to `max_angle` degrees about a random axis, and a shift."""
    return (rotation(rng.normal(size=3), rng.uniform(0, max_angle)),
            rng.uniform(-max_shift, max_shift, 3))


def rotation_error(estimate, truth):
    """Angle between two rotations in degrees."""
    cosine = (np.trace(estimate.T @ truth) - 1) / 2
    return float(np.rad2deg(np.arccos(np.clip(cosine, -1, 1))))


def project_to_rotation(matrix):
    u, _, vt = np.linalg.svd(matrix)
    sign = np.sign(np.linalg.det(u @ vt))
    d = np.ones(sign.shape + (3,))
    d[..., 2] = sign
    return (u * d[..., None, :]) @ vt


def kabsch(source, target):
    """Best rigid motion (R, t) with R source + t = target, rows correspond."""
    cs, ct = source.mean(axis=0), target.mean(axis=0)
    r = project_to_rotation((target - ct).T @ (source - cs))
    return r, ct - r @ cs


def square_distances(a, b):
    return ((a * a).sum(-1)[..., :, None] + (b * b).sum(-1)[..., None, :]
            - 2 * a @ np.swapaxes(b, -1, -2))


def knn(points, k):
    """Indices of the k nearest other points of every point."""
    d = square_distances(points, points)
    np.fill_diagonal(d, np.inf)
    return np.argpartition(d, k - 1, axis=1)[:, :k]


def _plane_step(source, target, normals):
    a = np.hstack([np.cross(source, normals), normals])
    b = ((target - source) * normals).sum(axis=1)
    x = np.linalg.lstsq(a, b, rcond=None)[0]
    angle = np.linalg.norm(x[:3])
    r = rotation(x[:3], np.rad2deg(angle)) if angle > 1e-12 else np.eye(3)
    return r, x[3:]


@dataclass
class Registration:
    R: np.ndarray
    t: np.ndarray
    rmse: float
    iterations: int


def icp(source, target, method="point", max_iter=30, normals=None, keep=0.7, tol=1e-7, log=None):
    """Iterative closest point. `normals` belong to `target` ("plane" needs them);
    `keep` is the share of pairs that "trimmed" uses."""
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}")
    if method == "plane" and normals is None:
        raise ValueError("point-to-plane needs the normals of the target")
    r_all, t_all = np.eye(3), np.zeros(3)
    moved, last, step = source.copy(), np.inf, 0
    for step in range(1, max_iter + 1):
        d = square_distances(moved, target)
        nearest = d.argmin(axis=1)
        gap = np.maximum(d[np.arange(len(moved)), nearest], 0)
        chosen = np.arange(len(moved))
        if method == "trimmed":
            chosen = np.argsort(gap)[: max(3, int(keep * len(moved)))]
        if method == "plane":
            r, t = _plane_step(moved, target[nearest], normals[nearest])
        else:
            r, t = kabsch(moved[chosen], target[nearest[chosen]])
        moved = moved @ r.T + t
        r_all, t_all = r @ r_all, r @ t_all + t
        rmse = float(np.sqrt(gap[chosen].mean()))
        if log:
            log(f"iter {step:3d}  rmse {rmse:.5f}")
        if abs(last - rmse) < tol:
            break
        last = rmse
    return Registration(r_all, t_all, last if np.isfinite(last) else 0.0, step)
