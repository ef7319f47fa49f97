import numpy as np

from data.patterns import N_REGIONS
from models.base_model import BaseModel
from util.colour import join, luminance


class PaintModel(BaseModel):
    """Guide video to RGB."""
    output_channels = 3
    low, neutral, high = 0.0, 0.5, 1.0

    def __init__(self, opt):
        self.source_channels = {'regions': N_REGIONS, 'outline': 2, 'depth': 1}[opt.guide]
        BaseModel.__init__(self, opt)

    def to_frames(self, out, data):
        return np.clip(out, 0, 1)


class ColourModel(BaseModel):
    """Grey video with colour hints to chroma; the grey of the input is kept."""
    source_channels = 4
    output_channels = 2
    low = neutral = high = 0.0   # chroma: black, grey and white are all colourless

    def to_frames(self, out, data):
        return join(luminance(data.frames), out)


def create_model(opt):
    return {'paint': PaintModel, 'colour': ColourModel}[opt.task](opt)
