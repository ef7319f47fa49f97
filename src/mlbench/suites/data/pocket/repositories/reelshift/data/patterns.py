"""Generated clips: a region map and a depth map per frame, and the coloured frame made from both."""
from dataclasses import dataclass

import numpy as np

N_REGIONS = 4
GUIDES = ['regions', 'outline', 'depth']

# one RGB colour per region
PALETTES = {
    'dusk': [(0.16, 0.13, 0.31), (0.87, 0.42, 0.29), (0.95, 0.77, 0.45), (0.45, 0.27, 0.52)],
    'orchard': [(0.78, 0.88, 0.70), (0.74, 0.16, 0.18), (0.26, 0.47, 0.17), (0.91, 0.71, 0.23)],
    'harbour': [(0.70, 0.81, 0.90), (0.10, 0.24, 0.43), (0.90, 0.88, 0.80), (0.79, 0.31, 0.21)],
    'neon': [(0.05, 0.04, 0.10), (0.98, 0.12, 0.62), (0.10, 0.92, 0.88), (0.86, 0.96, 0.15)],
    'sepia': [(0.24, 0.17, 0.11), (0.55, 0.42, 0.29), (0.79, 0.67, 0.50), (0.94, 0.87, 0.75)],
}


@dataclass
class Clip:
    regions: np.ndarray   # (T, S, S) int
    depth: np.ndarray     # (T, S, S) in [0, 1]
    frames: np.ndarray    # (T, S, S, 3) in [0, 1]


def _grid(side):
    y, x = np.mgrid[0:side, 0:side].astype(float)
    return x, y


def _marbles(side, length, pace, rng):
    x, y = _grid(side)
    radius = side * rng.uniform(0.16, 0.26, size=3)
    where = rng.uniform(radius[:, None], side - 1 - radius[:, None], size=(3, 2))
    angle = rng.uniform(0, 2 * np.pi, size=3)
    speed = pace * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    for _ in range(length):
        regions = np.zeros((side, side), int)
        depth = 0.4 + 0.2 * y / side
        for i in range(3):
            r = np.hypot(x - where[i, 0], y - where[i, 1])
            inside = r <= radius[i]
            regions[inside] = i + 1
            depth[inside] = (1 - 0.6 * (r / radius[i]) ** 2)[inside]
        yield regions, depth
        where = where + speed
        low, high = radius[:, None], side - 1 - radius[:, None]
        hit = (where < low) | (where > high)
        speed = np.where(hit, -speed, speed)
        where = np.clip(where, low, high)


def _ribbons(side, length, pace, rng):
    x, y = _grid(side)
    angle = rng.uniform(0.2, 1.3)
    period = side * rng.uniform(0.8, 1.2)
    start, bend = rng.uniform(0, period), rng.uniform(0.5, 1.5)
    for t in range(length):
        along = x * np.cos(angle) + y * np.sin(angle) + bend * np.sin(2 * np.pi * y / side)
        phase = np.mod(along + start - pace * t, period) / period
        yield np.minimum((phase * N_REGIONS).astype(int), N_REGIONS - 1), 0.5 + 0.5 * np.cos(2 * np.pi * phase * N_REGIONS)


def _pinwheel(side, length, pace, rng):
    x, y = _grid(side)
    centre = (side - 1) / 2 + rng.uniform(-1, 1, size=2)
    start, blades = rng.uniform(0, 2 * np.pi), int(rng.integers(2, 4))
    dx, dy = x - centre[0], y - centre[1]
    r, around = np.hypot(dx, dy), np.arctan2(dy, dx)
    for t in range(length):
        turn = np.mod(around - start - pace * t / (side / 3), 2 * np.pi) / (2 * np.pi)
        part = np.mod(turn * blades * 2, 2)
        regions = 1 + (part >= 1).astype(int)
        regions[r < side * 0.12] = 3
        regions[r > side * 0.47] = 0
        yield regions, np.clip(1 - r / side, 0, 1) * (0.6 + 0.4 * np.mod(part, 1))


def _cityrain(side, length, pace, rng):
    x, y = _grid(side)
    skyline = side - rng.integers(side // 4, side * 2 // 3, size=side // 2 + 1)
    roof = skyline[(x // 2).astype(int)]
    lit = rng.random((side, side)) < 0.25
    drops = rng.uniform(0, side, size=(side // 2 + 2, 2))
    for t in range(length):
        regions = np.where(y >= roof, 1, 0)
        regions[(y > roof) & lit] = 2
        depth = np.where(y >= roof, 0.7, 0.3 + 0.3 * y / side)
        for column, top in drops:
            head = np.mod(top + 1.5 * pace * t, side)
            streak = (np.abs(x - column) < 0.6) & (y <= head) & (y > head - 2)
            regions[streak], depth[streak] = 3, 0.9
        yield regions, depth


def _tide(side, length, pace, rng):
    x, y = _grid(side)
    horizon = side * rng.uniform(0.25, 0.4)
    wave, phase = side * rng.uniform(0.5, 0.9), rng.uniform(0, 2 * np.pi)
    for t in range(length):
        shore = side * 0.72 + side * 0.1 * np.sin(2 * np.pi * (x - pace * t) / wave + phase)
        regions = np.full((side, side), 1)
        regions[y < horizon] = 0
        regions[y >= shore] = 3
        regions[np.abs(y - shore) < 0.8] = 2
        depth = 0.5 + 0.4 * np.sin(2 * np.pi * (x - pace * t + 0.7 * y) / wave + phase)
        depth[y < horizon] = 0.8
        depth[regions >= 2] = 0.9
        yield regions, depth


PATTERNS = {'marbles': _marbles, 'ribbons': _ribbons, 'pinwheel': _pinwheel, 'cityrain': _cityrain, 'tide': _tide}


def make_clip(pattern, side=12, length=6, pace=1.0, palette='dusk', grain=0.02, seed=0):
    """One clip. The same arguments always give the same clip."""
    if pattern not in PATTERNS:
        raise ValueError('unknown pattern %r, there are: %s' % (pattern, ', '.join(sorted(PATTERNS))))
    if palette not in PALETTES:
        raise ValueError('unknown palette %r, there are: %s' % (palette, ', '.join(sorted(PALETTES))))
    rng = np.random.default_rng([seed, sorted(PATTERNS).index(pattern)])
    pairs = list(PATTERNS[pattern](side, length, pace, rng))
    regions = np.stack([r for r, _ in pairs])
    depth = np.clip(np.stack([d for _, d in pairs]), 0, 1)
    frames = np.asarray(PALETTES[palette])[regions] * (0.55 + 0.45 * depth[..., None])
    frames = np.clip(frames + grain * rng.standard_normal(frames.shape), 0, 1)
    return Clip(regions, depth, frames)


def guide_channels(clip, guide):
    """The source video of a clip: (T, S, S, C)."""
    if guide == 'regions':
        return np.eye(N_REGIONS)[clip.regions]
    if guide == 'depth':
        return clip.depth[..., None]
    if guide == 'outline':
        r = np.pad(clip.regions, ((0, 0), (0, 1), (0, 1)), mode='edge')
        here = r[:, :-1, :-1]
        return np.stack([here != r[:, :-1, 1:], here != r[:, 1:, :-1]], axis=-1).astype(float)
    raise ValueError('unknown guide %r' % guide)
