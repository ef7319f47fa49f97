"""Procedural shapes with points, outward normals and part labels."""
import numpy as np


# ---- primitives: functions (n, rng, ...) -> points, normals; and their areas

def box(n, rng, sx, sy, sz):
    half = np.array([sx, sy, sz]) / 2
    area = np.array([sy * sz, sx * sz, sx * sy])
    axis = rng.choice(3, size=n, p=area / area.sum())
    sign = rng.choice([-1.0, 1.0], size=n)
    points = rng.uniform(-1, 1, (n, 3)) * half
    rows = np.arange(n)
    points[rows, axis] = sign * half[axis]
    normals = np.zeros((n, 3))
    normals[rows, axis] = sign
    return points, normals


def tube(n, rng, bottom, top, height):
    """Side of a frustum; top=bottom is a cylinder, top=0 a cone."""
    low, high = bottom ** 2, top ** 2
    radius = np.sqrt(rng.random(n) * (high - low) + low) if low != high else np.full(n, bottom)
    rise = (radius - bottom) / (top - bottom) if low != high else rng.random(n)
    angle = rng.random(n) * 2 * np.pi
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points = np.column_stack([circle * radius[:, None], (rise - 0.5) * height])
    slope = (bottom - top) / max(height, 1e-9)
    normals = np.column_stack([circle, np.full(n, slope)]) / np.hypot(1.0, slope)
    return points, normals


def disc(n, rng, radius):
    angle = rng.random(n) * 2 * np.pi
    r = radius * np.sqrt(rng.random(n))
    return (np.column_stack([r * np.cos(angle), r * np.sin(angle), np.zeros(n)]),
            np.tile([0.0, 0.0, 1.0], (n, 1)))


def ball(n, rng, radius, lower_half=False):
    direction = rng.normal(size=(n, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    if lower_half:
        direction[:, 2] = -np.abs(direction[:, 2])
    return direction * radius, direction


def ring(n, rng, major, minor):
    v = rng.random(4 * n) * 2 * np.pi
    keep = rng.random(4 * n) * (major + minor) < major + minor * np.cos(v)
    v = np.resize(v[keep], n)
    u = rng.random(n) * 2 * np.pi
    normals = np.column_stack([np.cos(u) * np.cos(v), np.sin(u) * np.cos(v), np.sin(v)])
    centre = np.column_stack([np.cos(u), np.sin(u), np.zeros(n)]) * major
    return centre + minor * normals, normals


AREA = {
    box: lambda a, b, c: 2 * (a * b + b * c + a * c),
    tube: lambda b, t, h: np.pi * (b + t) * np.hypot(b - t, h),
    disc: lambda r: np.pi * r * r,
    ball: lambda r, lower_half=False: (2 if lower_half else 4) * np.pi * r * r,
    ring: lambda a, b: 4 * np.pi ** 2 * a * b,
}


# ---- shapes: rng -> list of (part, primitive, parameters, offset, axis)
# axis "x" lays the primitive's own z along x

def _u(rng, a, b):
    return rng.uniform(a, b)


def sphere(rng):
    return [(0, ball, (1.0,), (0, 0, 0), "z")]


def cube(rng):
    return [(0, box, (1, _u(rng, 0.9, 1.1), _u(rng, 0.9, 1.1)), (0, 0, 0), "z")]


def cylinder(rng):
    r, h = _u(rng, 0.4, 0.6), _u(rng, 1.2, 1.8)
    return [(0, tube, (r, r, h), (0, 0, 0), "z"), (0, disc, (r,), (0, 0, h / 2), "z"),
            (0, disc, (r,), (0, 0, -h / 2), "z")]


def cone(rng):
    r, h = _u(rng, 0.5, 0.8), _u(rng, 1.2, 1.6)
    return [(0, tube, (r, 0.0, h), (0, 0, 0), "z"), (0, disc, (r,), (0, 0, -h / 2), "z")]


def torus(rng):
    return [(0, ring, (0.8, _u(rng, 0.15, 0.3)), (0, 0, 0), "z")]


def table(rng):
    w, d, h = _u(rng, 1.2, 1.8), _u(rng, 0.8, 1.1), _u(rng, 0.7, 0.9)
    legs = [(1, box, (0.1, 0.1, h), (x * (w / 2 - 0.08), y * (d / 2 - 0.08), -h / 2), "z")
            for x in (-1, 1) for y in (-1, 1)]
    return [(0, box, (w, d, 0.08), (0, 0, 0), "z")] + legs


def chair(rng):
    w, h, b = _u(rng, 0.5, 0.6), _u(rng, 0.4, 0.5), _u(rng, 0.5, 0.7)
    legs = [(1, box, (0.06, 0.06, h), (x * (w / 2 - 0.04), y * (w / 2 - 0.04), -h / 2), "z")
            for x in (-1, 1) for y in (-1, 1)]
    return [(0, box, (w, w, 0.06), (0, 0, 0), "z"),
            (2, box, (w, 0.06, b), (0, w / 2, b / 2), "z")] + legs


def lamp(rng):
    h, r = _u(rng, 1.0, 1.4), _u(rng, 0.3, 0.4)
    return [(0, disc, (r,), (0, 0, 0), "z"), (1, tube, (0.04, 0.04, h), (0, 0, h / 2), "z"),
            (2, tube, (r, r * 0.5, 0.4), (0, 0, h), "z")]


def shelf(rng):
    w, h = _u(rng, 0.8, 1.0), _u(rng, 1.4, 1.8)
    boards = [(0, box, (w, 0.3, 0.04), (0, 0, z * h / 3), "z") for z in range(4)]
    return boards + [(1, box, (0.04, 0.3, h), (x * w / 2, 0, h / 2), "z") for x in (-1, 1)]


def mug(rng):
    r, h = _u(rng, 0.4, 0.5), _u(rng, 0.9, 1.1)
    return [(0, tube, (r, r, h), (0, 0, 0), "z"), (0, disc, (r,), (0, 0, -h / 2), "z"),
            (1, ring, (h * 0.28, 0.06), (r + 0.12, 0, 0), "x")]


def bottle(rng):
    r, h = _u(rng, 0.25, 0.35), _u(rng, 0.8, 1.0)
    return [(0, tube, (r, r, h), (0, 0, 0), "z"), (0, disc, (r,), (0, 0, -h / 2), "z"),
            (1, tube, (r, 0.1, 0.3), (0, 0, h / 2 + 0.15), "z"),
            (1, tube, (0.1, 0.1, 0.35), (0, 0, h / 2 + 0.47), "z")]


def bowl(rng):
    return [(0, ball, (_u(rng, 0.8, 1.0), True), (0, 0, 0), "z")]


def plate(rng):
    r = _u(rng, 0.8, 1.0)
    return [(0, disc, (r * 0.6,), (0, 0, 0), "z"), (1, tube, (r * 0.6, r, 0.12), (0, 0, 0.06), "z")]


def hammer(rng):
    h = _u(rng, 1.0, 1.4)
    return [(0, tube, (0.06, 0.06, h), (0, 0, 0), "z"), (1, box, (0.6, 0.2, 0.2), (0, 0, h / 2), "z")]


def dumbbell(rng):
    h, r = _u(rng, 0.8, 1.2), _u(rng, 0.22, 0.32)
    return [(0, tube, (0.07, 0.07, h), (0, 0, 0), "z"), (1, ball, (r,), (0, 0, h / 2), "z"),
            (1, ball, (r,), (0, 0, -h / 2), "z")]


def screwdriver(rng):
    h = _u(rng, 0.7, 1.0)
    return [(0, tube, (0.16, 0.13, 0.6), (0, 0, 0), "z"), (1, tube, (0.04, 0.03, h), (0, 0, 0.3 + h / 2), "z")]


def wheel(rng):
    spokes = [(1, box, (1.4, 0.07, 0.07), (0, 0, 0), "z"), (1, box, (0.07, 1.4, 0.07), (0, 0, 0), "z")]
    return [(0, ring, (0.8, _u(rng, 0.08, 0.14)), (0, 0, 0), "z")] + spokes


FAMILIES = {
    "solids": [sphere, cube, cylinder, cone, torus],
    "furniture": [table, chair, lamp, shelf],
    "crockery": [mug, bottle, bowl, plate],
    "tools": [hammer, dumbbell, screwdriver, wheel],
}
SHAPES = {f.__name__: f for members in FAMILIES.values() for f in members}
PARTS = {"table": 2, "chair": 3, "lamp": 3, "shelf": 2, "mug": 2, "bottle": 2, "plate": 2,
         "hammer": 2, "dumbbell": 2, "screwdriver": 2, "wheel": 2}


def sample_shape(name, num_points, rng):
    """Points (centred, inside the unit ball), normals and part labels of one random shape."""
    if name not in SHAPES:
        raise ValueError(f"no shape called {name!r}; there are {', '.join(sorted(SHAPES))}")
    pieces = SHAPES[name](rng)
    area = np.array([AREA[kind](*params) for _, kind, params, _, _ in pieces])
    counts = rng.multinomial(num_points, area / area.sum())
    points, normals, parts = [], [], []
    for (part, kind, params, offset, axis), count in zip(pieces, counts):
        xyz, nrm = kind(int(count), rng, *params)
        if axis == "x":
            xyz, nrm = xyz[:, [2, 1, 0]], nrm[:, [2, 1, 0]]
            if kind is ring:  # the handle stands upright
                xyz, nrm = xyz[:, [2, 0, 1]], nrm[:, [2, 0, 1]]
        points.append(xyz + np.array(offset, dtype=float))
        normals.append(nrm)
        parts.append(np.full(int(count), part))
    points, normals, parts = map(np.concatenate, (points, normals, parts))
    points = points - points.mean(axis=0)
    points /= np.linalg.norm(points, axis=1).max()
    order = rng.permutation(num_points)
    return points[order], normals[order], parts[order]
