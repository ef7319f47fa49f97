"""All data sets are synthetic and rebuilt from a fixed seed on every call.

The tidal ones follow the main astronomical constituents (periods in hours);
the rest are caricatures of things that we see at work.
"""
import csv
import zlib
from dataclasses import dataclass

import numpy as np

CONSTITUENTS = {"M2": 12.4206, "S2": 12.0, "N2": 12.6583, "K1": 23.9345, "O1": 25.8193, "M4": 6.2103}

SERIES_SETS = {
    # name: (kind, rows, step in hours, columns)
    "tidal_h1": ("tidal", 1200, 1.0, ("level", "current", "surge", "wind", "salinity")),
    "tidal_h2": ("tidal", 1200, 1.0, ("level", "current", "surge", "wind", "salinity")),
    "tidal_m1": ("tidal", 1200, 0.25, ("level", "current", "surge", "wind", "salinity")),
    "tidal_m2": ("tidal", 1200, 0.25, ("level", "current", "surge", "wind", "salinity")),
    "gridload": ("load", 1200, 1.0, ("level", "north", "south", "port")),
    "reservoir": ("reservoir", 1100, 24.0, ("level", "inflow", "outflow")),
    "buoys": ("waves", 1200, 1.0, ("level", "period", "b07", "b11")),
}
ANOMALY_SETS = {"pumpstation": 5, "lockgate": 3, "beacon": 4, "ferrydeck": 6}
CLASS_SETS = {
    # name: (classes, channels, length, examples)
    "gullcalls": (3, 2, 48, 180),
    "engines": (4, 3, 60, 200),
    "oarstrokes": (5, 3, 40, 200),
    "footfall": (2, 4, 48, 160),
    "sonarping": (4, 1, 64, 200),
}
SUBSETS = {
    # name: (horizon, season, length, series)
    "yearly": (4, 1, 40, 24),
    "quarterly": (6, 4, 56, 24),
    "monthly": (12, 12, 96, 24),
    "weekly": (8, 1, 80, 20),
    "daily": (10, 7, 90, 20),
    "hourly": (24, 24, 168, 12),
}


@dataclass
class Series:
    name: str
    columns: tuple
    values: np.ndarray          # rows x columns


def _rng(name):
    return np.random.default_rng(zlib.crc32(name.encode()))


def _red_noise(rng, rows, phi, scale):
    shocks = rng.normal(0.0, scale, rows)
    out = np.empty(rows)
    last = 0.0
    for i in range(rows):
        last = phi * last + shocks[i]
        out[i] = last
    return out


def _tidal(rng, rows, step, width):
    hours = np.arange(rows) * step
    out = np.zeros((rows, width))
    for column in range(width):
        for period in CONSTITUENTS.values():
            amplitude = rng.gamma(2.0, 0.4)
            out[:, column] += amplitude * np.sin(2 * np.pi * hours / period + rng.uniform(0, 6.28))
        out[:, column] += _red_noise(rng, rows, 0.95, 0.12)
    return out


def _load(rng, rows, step, width):
    hours = np.arange(rows) * step
    out = np.zeros((rows, width))
    for column in range(width):
        day = 1.0 + 0.4 * np.sin(2 * np.pi * hours / 24 + rng.normal(0, 0.3))
        day += 0.15 * np.sin(4 * np.pi * hours / 24 + rng.normal(0, 0.3))
        week = np.where((hours // 24) % 7 >= 5, rng.uniform(0.6, 0.8), 1.0)
        out[:, column] = 40 * day * week + _red_noise(rng, rows, 0.9, 1.0)
    return out


def _reservoir(rng, rows, step, width):
    days = np.arange(rows)
    inflow = 3 + 2 * np.sin(2 * np.pi * days / 120) + np.abs(_red_noise(rng, rows, 0.8, 0.5))
    outflow = 3 + 0.8 * np.sin(2 * np.pi * days / 7) + _red_noise(rng, rows, 0.7, 0.2)
    level = 100 + np.cumsum(inflow - inflow.mean() - (outflow - outflow.mean())) * 0.1
    return np.stack([level, inflow, outflow], axis=1)[:, :width]


def _waves(rng, rows, step, width):
    out = np.zeros((rows, width))
    for column in range(width):
        a, b = 1.7 + 0.05 * rng.random(), -0.85
        noise = rng.normal(0, 0.3, rows)
        for i in range(2, rows):
            out[i, column] = a * out[i - 1, column] + b * out[i - 2, column] + noise[i]
    return out


_KINDS = {"tidal": _tidal, "load": _load, "reservoir": _reservoir, "waves": _waves}


def load_series(name, path=None):
    """A named data set, or (``name="csv"``) a file with a header line and one time stamp column."""
    if name == "csv":
        if path is None:
            raise ValueError("data set 'csv' needs a path")
        with open(path, newline="", encoding="utf-8") as handle:
            lines = list(csv.reader(handle))
        values = np.array([[float(cell) for cell in line[1:]] for line in lines[1:]])
        return Series("csv", tuple(lines[0][1:]), values)
    if name not in SERIES_SETS:
        raise ValueError(f"unknown data set {name!r}; there are {', '.join(SERIES_SETS)}")
    kind, rows, step, columns = SERIES_SETS[name]
    return Series(name, columns, _KINDS[kind](_rng(name), rows, step, len(columns)))


def load_anomaly(name):
    """Train rows (clean), test rows and 0/1 labels of the test rows."""
    width = ANOMALY_SETS[name]
    rng = _rng(name)
    total, train = 1400, 800
    t = np.arange(total)
    mixing = rng.normal(0, 1, (3, width))
    periods = rng.uniform(12, 40, 3)
    sources = np.stack([np.sin(2 * np.pi * t / p + rng.uniform(0, 6)) for p in periods], axis=1)
    values = sources @ mixing + rng.normal(0, 0.1, (total, width))
    labels = np.zeros(total, dtype=int)
    for _ in range(6):
        start = int(rng.integers(train, total - 20))
        length = int(rng.integers(3, 12))
        column = int(rng.integers(width))
        values[start:start + length, column] += rng.choice([-1, 1]) * rng.uniform(1.5, 3.0)
        labels[start:start + length] = 1
    return values[:train], values[train:], labels[train:]


def load_classes(name):
    """(examples, channels, length) and integer labels, already shuffled."""
    classes, channels, length, count = CLASS_SETS[name]
    rng = _rng(name)
    freq = rng.uniform(1.0, 6.0, (classes, channels))
    bump = rng.uniform(0.2, 0.8, classes)
    t = np.linspace(0, 1, length)
    labels = rng.integers(0, classes, count)
    x = np.empty((count, channels, length))
    for i, label in enumerate(labels):
        shift = rng.uniform(0, 0.15, (channels, 1))
        wave = np.sin(2 * np.pi * freq[label][:, None] * (t[None] + shift))
        envelope = np.exp(-((t - bump[label]) / 0.35) ** 2)
        x[i] = wave * envelope + rng.normal(0, 0.5, (channels, length))
    return x, labels


def load_medley(subset):
    """The short-series collection: (series, length), all positive."""
    horizon, season, length, count = SUBSETS[subset]
    rng = _rng("medley/" + subset)
    t = np.arange(length)
    out = np.empty((count, length))
    for i in range(count):
        level = rng.uniform(50, 400)
        trend = level * rng.normal(0.003, 0.004) * t
        wave = 0.0 if season == 1 else level * rng.uniform(0.05, 0.2) * np.sin(2 * np.pi * t / season + rng.uniform(0, 6))
        out[i] = level + trend + wave + _red_noise(rng, length, 0.7, level * 0.03)
    return np.maximum(out, 5.0), horizon, season
