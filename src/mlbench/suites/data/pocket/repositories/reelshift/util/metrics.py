import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def crop(frames, border):
    return frames[..., border:-border, border:-border, :] if border else frames


def mae(fake, real):
    return float(np.mean(np.abs(fake - real)))


def psnr(fake, real, peak=1.0):
    """Peak signal-to-noise ratio in dB."""
    error = float(np.mean((np.asarray(fake) - np.asarray(real)) ** 2))
    return float('inf') if error == 0 else float(10 * np.log10(peak ** 2 / error))


def ssim(fake, real, window=5):
    """Structural similarity with a flat window, mean over pixels, channels and frames; frames are (..., H, W, C)."""
    a = sliding_window_view(fake, (window, window), axis=(-3, -2))
    b = sliding_window_view(real, (window, window), axis=(-3, -2))
    ma, mb = a.mean((-1, -2)), b.mean((-1, -2))
    va, vb = a.var((-1, -2)), b.var((-1, -2))
    cov = (a * b).mean((-1, -2)) - ma * mb
    c1, c2 = 0.01 ** 2, 0.03 ** 2
    return float(np.mean((2 * ma * mb + c1) * (2 * cov + c2) / ((ma ** 2 + mb ** 2 + c1) * (va + vb + c2))))


def flicker(fake, real):
    """How much more (or less) a clip changes from frame to frame than the real one; clips are (T, H, W, C)."""
    if len(fake) < 2:
        return 0.0
    return float(np.mean(np.abs(np.diff(fake, axis=0) - np.diff(real, axis=0))))


MEASURES = {'psnr': psnr, 'ssim': ssim, 'mae': mae, 'flicker': flicker}
