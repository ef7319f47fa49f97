"""Noise levels, and four ways down from the noise to a picture."""
import numpy as np


def noise_levels(kind, steps, sigma_min, sigma_max):
    """steps levels from sigma_max to sigma_min, and a zero."""
    u = np.linspace(0, 1, steps) if steps > 1 else np.zeros(1)
    if kind == "power":
        r = 1 / 5
        levels = (sigma_max ** r + u * (sigma_min ** r - sigma_max ** r)) ** 5
    elif kind == "geometric":
        levels = sigma_max * (sigma_min / sigma_max) ** u
    else:
        levels = sigma_max + u * (sigma_min - sigma_max)
    return np.append(levels, 0.0)


def guided(model, labels, guidance):
    """A denoiser that is drawn towards the label (guidance 1: the plain conditional model)."""
    if guidance == 1.0:
        return lambda x, sigma: model(x, sigma, labels)
    nothing = np.full(len(labels), -1)

    def denoise(x, sigma):
        plain = model(x, sigma, nothing)
        return plain + guidance * (model(x, sigma, labels) - plain)

    return denoise


def step(name, denoise, x, now, then, eta, rng):
    slope = (x - denoise(x, now)) / now
    if name == "ancestral" and then > 0:
        up = min(then, eta * np.sqrt(then ** 2 * (now ** 2 - then ** 2) / now ** 2))
        down = np.sqrt(then ** 2 - up ** 2)
        return x + (down - now) * slope + up * rng.normal(size=x.shape)
    if name == "heun" and then > 0:
        ahead = x + (then - now) * slope
        return x + (then - now) * 0.5 * (slope + (ahead - denoise(ahead, then)) / then)
    if name == "midpoint" and then > 0:
        middle = np.sqrt(now * then)
        half = x + (middle - now) * slope
        return x + (then - now) * (half - denoise(half, middle)) / middle
    return x + (then - now) * slope


def sample(name, denoise, shape, levels, rng, eta=1.0):
    x = levels[0] * rng.normal(size=shape)
    for now, then in zip(levels, levels[1:]):
        x = step(name, denoise, x, now, then, eta, rng)
    return np.clip(x, -1, 1)


def inpaint(name, denoise, known, mask, levels, rng, eta=1.0, rounds=1):
    """Fill in known where mask is set; every level is visited `rounds` times."""
    x = levels[0] * rng.normal(size=known.shape)
    for now, then in zip(levels, levels[1:]):
        for turn in range(rounds):
            x = np.where(mask, x, known + now * rng.normal(size=known.shape))
            lower = step(name, denoise, x, now, then, eta, rng)
            if turn < rounds - 1:
                x = lower + np.sqrt(max(now ** 2 - then ** 2, 0)) * rng.normal(size=known.shape)
        x = lower
    return np.clip(np.where(mask, x, known), -1, 1)
