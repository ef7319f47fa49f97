from .base_options import BaseOptions


class TestOptions(BaseOptions):
    is_train = False

    def initialize(self):
        BaseOptions.initialize(self)
        p = self.parser
        # None: as the run was trained
        p.set_defaults(palette=None, guide=None)
        p.add_argument('--which_epoch', type=str, default='latest', help='which snapshot: an epoch number or latest')
        p.add_argument('--first_clip', type=int, default=0, help='index of the first held-out clip')
        p.add_argument('--how_many', type=int, default=2, help='number of held-out clips')
        p.add_argument('--open_with', type=str, default='black', choices=['black', 'grey', 'white', 'noise', 'real'], help='stands in for the previous output at the first frame')
        p.add_argument('--smooth', type=float, default=0.0, help='share of the flow-warped previous output that is mixed into each frame')
        p.add_argument('--measures', type=str, nargs='+', default=['psnr'], choices=['psnr', 'ssim', 'mae', 'flicker'], help='what to measure')
        p.add_argument('--border', type=int, default=0, help='pixels at the border that are not measured, 0 to 3')
        p.add_argument('--per_frame', action='store_true', help='print a line for every frame')
        p.add_argument('--export', type=str, default='csv', choices=['csv', 'json', 'ppm', 'npy', 'none'], help='what to write to <results_root>/<run_name>')
        p.add_argument('--results_root', type=str, default='./results', help='where the results go')

    def check(self, opt):
        BaseOptions.check(self, opt)
        p = self.parser
        if opt.how_many < 1 or opt.first_clip < 0:
            p.error('--how_many must be at least 1 and --first_clip at least 0')
        if not 0 <= opt.smooth < 1:
            p.error('--smooth must be at least 0 and below 1')
        if not 0 <= opt.border <= 3:
            p.error('--border must lie between 0 and 3')
        if opt.which_epoch != 'latest' and not opt.which_epoch.isdigit():
            p.error('--which_epoch takes a number or latest')
