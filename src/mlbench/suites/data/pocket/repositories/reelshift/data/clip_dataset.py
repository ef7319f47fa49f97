import numpy as np

from data.patterns import make_clip, guide_channels
from models.flow import estimate_flow
from util.colour import split, luminance

HELD_OUT = 1000   # test clips are numbered from here on


def spread_hints(chroma, known, reach=2):
    """Every pixel gets the mean chroma of the hints around it, and how dense they are; arrays are (N, T, S, S, ·)."""
    side = chroma.shape[2]
    i = np.arange(side)
    near = np.exp(-0.5 * ((i[:, None] - i[None]) / reach) ** 2)
    blur = lambda a: np.einsum('yi,ntijc,xj->ntyxc', near, a, near, optimize=True)
    weight = blur(known.astype(float))
    return blur(chroma * known) / (weight + 0.05), weight / (near.sum(1)[:, None, None] * near.sum(1)[:, None])


class ClipDataset:
    """Clips as arrays.

    source (N, T, S, S, C)   what the translator sees of a frame
    target (N, T, S, S, K)   what it has to produce: RGB (paint) or two chroma channels (colour)
    frames (N, T, S, S, 3)   the real frames
    flow   (N, T, S, S, 2)   motion towards the previous frame, zero at t = 0; None unless it is wanted
    """

    def __init__(self, opt, count, first=0, mirror=False, with_flow=False):
        clips = [make_clip(opt.clips, opt.frame_side, opt.clip_len, opt.pace, opt.palette, opt.grain,
                           seed=opt.seed * 10000 + first + i) for i in range(count)]
        self.frames = np.stack([c.frames for c in clips])
        if opt.task == 'paint':
            self.source = np.stack([guide_channels(c, opt.guide) for c in clips])
            self.target = self.frames
        else:
            grey, chroma = split(self.frames)
            rng = np.random.default_rng([opt.seed, first, count])
            known = (rng.random(grey.shape) < opt.hint_share)[..., None]
            self.source = np.concatenate([grey[..., None], *spread_hints(chroma, known)], axis=-1)
            self.target = chroma
        if mirror:
            for name in ('frames', 'source', 'target'):
                a = getattr(self, name)
                setattr(self, name, np.concatenate([a, a[:, :, :, ::-1]]))
        self.flow = None
        if with_flow:
            self.flow = np.zeros(self.frames.shape[:-1] + (2,))
            grey = luminance(self.frames)
            for n in range(len(grey)):
                for t in range(1, opt.clip_len):
                    self.flow[n, t] = estimate_flow(grey[n, t - 1], grey[n, t], opt.flow, opt.flow_window)

    def __len__(self):
        return len(self.frames)


def create_dataset(opt):
    if opt.is_train:
        return ClipDataset(opt, opt.n_clips, mirror=opt.mirror, with_flow=opt.flow_weight > 0)
    return ClipDataset(opt, opt.how_many, first=HELD_OUT + opt.first_clip, with_flow=opt.smooth > 0)
