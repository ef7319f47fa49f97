"""Luminance and two chroma channels; exact inverse of each other."""
import numpy as np

WEIGHTS = np.array([0.30, 0.59, 0.11])


def luminance(frames):
    return frames @ WEIGHTS


def split(frames):
    grey = luminance(frames)
    return grey, np.stack([frames[..., 0] - grey, frames[..., 2] - grey], axis=-1)


def join(grey, chroma):
    red, blue = grey + chroma[..., 0], grey + chroma[..., 1]
    green = (grey - WEIGHTS[0] * red - WEIGHTS[2] * blue) / WEIGHTS[1]
    return np.clip(np.stack([red, green, blue], axis=-1), 0, 1)
