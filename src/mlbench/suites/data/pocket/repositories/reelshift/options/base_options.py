import argparse
import json
import os

from data.patterns import PATTERNS, PALETTES, GUIDES
from models.flow import METHODS


class BaseOptions:
    """Options that training and testing share."""

    is_train = None

    def __init__(self):
        self.parser = argparse.ArgumentParser(
            allow_abbrev=False,
            formatter_class=argparse.ArgumentDefaultsHelpFormatter)
        self.initialized = False

    def initialize(self):
        p = self.parser
        # experiment
        p.add_argument('--run_name', type=str, default='trial', help='name of the run; snapshots go to <ckpt_root>/<run_name>')
        p.add_argument('--ckpt_root', type=str, default='./checkpoints', help='where the runs are kept')
        p.add_argument('--task', type=str, default='paint', choices=['paint', 'colour'], help='paint: guide video -> frames; colour: grey video -> frames')
        p.add_argument('--seed', type=int, default=7, help='seed of clips, weights and shuffling')
        p.add_argument('--quiet', action='store_true', help='do not list the options at the start')

        # clips
        p.add_argument('--clips', type=str, required=bool(self.is_train), choices=sorted(PATTERNS), help='which kind of clip to generate')
        p.add_argument('--frame_side', type=int, default=12, help='height and width of a frame in pixels, 8 to 16')
        p.add_argument('--clip_len', type=int, default=6, help='frames in a clip, 3 to 12')
        p.add_argument('--pace', type=float, default=1.0, help='how fast things move, in pixels per frame')
        p.add_argument('--grain', type=float, default=0.02, help='standard deviation of the film grain')
        p.add_argument('--palette', type=str, default='dusk', choices=sorted(PALETTES), help='colours of the real frames')
        p.add_argument('--guide', type=str, default='regions', choices=GUIDES, help='[paint] what the source video shows')
        p.add_argument('--hint_share', type=float, default=0.05, help='[colour] share of pixels whose true colour is given')

        # flow
        p.add_argument('--flow', type=str, default='lk', choices=METHODS, help='how motion between frames is estimated')
        p.add_argument('--flow_window', type=int, default=5, help='odd window of the flow estimator')
        self.initialized = True

    def check(self, opt):
        p = self.parser
        if not 8 <= opt.frame_side <= 16:
            p.error('--frame_side must lie between 8 and 16')
        if not 3 <= opt.clip_len <= 12:
            p.error('--clip_len must lie between 3 and 12')
        if opt.pace <= 0:
            p.error('--pace must be positive')
        if opt.grain < 0:
            p.error('--grain must not be negative')
        if not 0 <= opt.hint_share <= 1:
            p.error('--hint_share is a share between 0 and 1')
        if opt.flow_window < 3 or opt.flow_window % 2 == 0:
            p.error('--flow_window must be odd and at least 3')

    def parse(self, args=None, save=True):
        if not self.initialized:
            self.initialize()
        opt = self.parser.parse_args(args)
        opt.is_train = self.is_train
        self.check(opt)
        if self.is_train and save:
            folder = os.path.join(opt.ckpt_root, opt.run_name)
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, 'opt_command.json'), 'w') as f:
                json.dump(vars(opt), f, indent=1, sort_keys=True)
        if not opt.quiet:
            self.print_options(opt)
        return opt

    def print_options(self, opt):
        print('======== options ========')
        for key, value in sorted(vars(opt).items()):
            print('%14s: %s' % (key, value))
        print('=========================')
