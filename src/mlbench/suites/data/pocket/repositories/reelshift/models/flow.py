"""Motion between two grey frames.

All estimators return the flow *backwards*: for each pixel of `second` the offset (dx, dy) at which it is found in `first`,
so that warp(first, flow) looks like second.
"""
import numpy as np

METHODS = ['lk', 'hs', 'block', 'phase', 'affine']
REACH = 2   # pixels that block matching searches in each direction


def box(a, window):
    """Mean over a window x window neighbourhood, edges repeated."""
    r = window // 2
    p = np.pad(a, ((r, r), (r, r)), mode='edge')
    s = np.pad(p.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    n = window
    return (s[n:, n:] - s[:-n, n:] - s[n:, :-n] + s[:-n, :-n]) / (n * n)


def warp(frames, flow):
    """Bilinear: out(x) = frames(x + flow(x)). frames (..., H, W, C) or (H, W); flow (..., H, W, 2)."""
    if frames.ndim == 2:
        return warp(frames[..., None], flow)[..., 0]
    h, w = frames.shape[-3:-1]
    y, x = np.mgrid[0:h, 0:w]
    x = np.clip(x + flow[..., 0], 0, w - 1)
    y = np.clip(y + flow[..., 1], 0, h - 1)
    x0, y0 = np.minimum(x.astype(int), w - 2), np.minimum(y.astype(int), h - 2)
    fx, fy = (x - x0)[..., None], (y - y0)[..., None]
    lead = tuple(np.indices(x.shape)[:-2]) if x.ndim > 2 else ()
    def at(b, a):
        return frames[lead + (b, a)]
    top = at(y0, x0) * (1 - fx) + at(y0, x0 + 1) * fx
    low = at(y0 + 1, x0) * (1 - fx) + at(y0 + 1, x0 + 1) * fx
    return top * (1 - fy) + low * fy


def _lucas_kanade(first, second, window, rounds=3):
    gy, gx = np.gradient(first)
    flow = np.zeros(first.shape + (2,))
    xx, yy, xy = box(gx * gx, window) + 1e-3, box(gy * gy, window) + 1e-3, box(gx * gy, window)
    det = xx * yy - xy * xy
    for _ in range(rounds):
        d = second - warp(first, flow)
        bx, by = box(gx * d, window), box(gy * d, window)
        flow = flow + np.stack([(yy * bx - xy * by) / det, (xx * by - xy * bx) / det], axis=-1)
        flow = np.clip(flow, -3, 3)
    return flow


def _horn_schunck(first, second, window, alpha=0.08, rounds=24):
    gy, gx = np.gradient((first + second) / 2)
    d = second - first
    u, v = np.zeros_like(first), np.zeros_like(first)
    for _ in range(rounds):
        mu, mv = box(u, window), box(v, window)
        k = (d - gx * mu - gy * mv) / (alpha ** 2 + gx ** 2 + gy ** 2)
        u, v = mu + gx * k, mv + gy * k
    return np.clip(np.stack([u, v], axis=-1), -3, 3)


def _block(first, second, window):
    h, w = first.shape
    p = np.pad(first, REACH, mode='edge')
    offsets = [(dx, dy) for dy in range(-REACH, REACH + 1) for dx in range(-REACH, REACH + 1)]
    costs = []
    for dx, dy in offsets:
        moved = p[REACH + dy:REACH + dy + h, REACH + dx:REACH + dx + w]
        costs.append(box(np.abs(moved - second), window) + 1e-4 * (dx * dx + dy * dy))
    return np.asarray(offsets, float)[np.argmin(costs, axis=0)]


def _phase(first, second, window):
    """One offset for the whole frame, from the phase of the cross spectrum of the blurred frames."""
    a, b = (f - f.mean() for f in (box(first, window), box(second, window)))
    taper = np.hanning(first.shape[0] + 2)[1:-1, None] * np.hanning(first.shape[1] + 2)[None, 1:-1]
    cross = np.fft.fft2(a * taper) * np.conj(np.fft.fft2(b * taper))
    peak = np.fft.ifft2(cross / (np.abs(cross) + 1e-3)).real
    top = np.unravel_index(np.argmax(peak), peak.shape)
    shift = []
    for axis, size in ((1, first.shape[1]), (0, first.shape[0])):
        # between pixels: the vertex of the parabola through the peak and its neighbours
        line = np.take(peak, top[1 - axis], axis=1 - axis)
        at = top[axis]
        left, mid, right = line[at - 1], line[at], line[(at + 1) % size]
        between = 0.5 * (left - right) / (left - 2 * mid + right - 1e-9)
        shift.append((at - size if at > size // 2 else at) + between)
    return np.broadcast_to(np.clip(shift, -3, 3), first.shape + (2,)).copy()


def _affine(first, second, window, rounds=4):
    """Six numbers for the whole frame (shift, turn, zoom, shear), by least squares on blurred frames."""
    a, b = box(first, window), box(second, window)
    h, w = first.shape
    y, x = np.mgrid[0:h, 0:w]
    basis = np.stack([np.ones((h, w)), x / w - 0.5, y / h - 0.5], axis=-1)
    gy, gx = np.gradient(a)
    system = np.concatenate([basis * gx[..., None], basis * gy[..., None]], axis=-1).reshape(-1, 6)
    ridge = system.T @ system + 1e-3 * np.eye(6)
    p = np.zeros(6)
    for _ in range(rounds):
        flow = np.clip(np.stack([basis @ p[:3], basis @ p[3:]], axis=-1), -3, 3)
        p = p + np.linalg.solve(ridge, system.T @ (b - warp(a, flow)).ravel())
    return np.clip(np.stack([basis @ p[:3], basis @ p[3:]], axis=-1), -3, 3)


def estimate_flow(first, second, method='lk', window=5):
    """Flow from second back to first. Colour frames are turned to grey. window: odd, at least 3."""
    if window < 3 or window % 2 == 0:
        raise ValueError('window must be odd and at least 3')
    if first.ndim == 3:
        first, second = first.mean(-1), second.mean(-1)
    estimators = {'lk': _lucas_kanade, 'hs': _horn_schunck, 'block': _block, 'phase': _phase,
                  'affine': _affine}
    if method not in estimators:
        raise ValueError('unknown method %r, there are: %s' % (method, ', '.join(METHODS)))
    return estimators[method](first, second, window)
