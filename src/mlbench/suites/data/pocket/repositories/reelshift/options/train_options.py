from .base_options import BaseOptions


class TrainOptions(BaseOptions):
    is_train = True

    def initialize(self):
        BaseOptions.initialize(self)
        p = self.parser
        # network
        p.add_argument('--net', type=str, default='conv', choices=['linear', 'conv', 'residual'], help='translator network')
        p.add_argument('--maps', type=int, default=6, help='hidden feature maps (conv, residual)')
        p.add_argument('--kernel', type=int, default=3, choices=[3, 5], help='kernel of the first layer')
        p.add_argument('--history', type=int, default=1, help='earlier source frames the translator sees, 0 to 4')
        p.add_argument('--feedback', action='store_true', help='also give the translator its previous output frame')

        # schedule
        p.add_argument('--n_clips', type=int, default=4, help='number of training clips')
        p.add_argument('--hold_epochs', type=int, default=6, help='epochs at the full step size')
        p.add_argument('--fade_epochs', type=int, default=4, help='further epochs in which the step size fades linearly to zero')
        p.add_argument('--batch_frames', type=int, default=6, help='frames in a batch')
        p.add_argument('--step_size', type=float, default=0.03, help='step size of SGD')
        p.add_argument('--momentum', type=float, default=0.9, help='momentum of SGD, at least 0 and below 1')
        p.add_argument('--mirror', action='store_true', help='add the left-right mirrored copy of each clip')

        # objective
        p.add_argument('--penalty', type=str, default='l2', choices=['l1', 'l2', 'huber', 'charbonnier', 'logcosh'], help='frame-wise loss')
        p.add_argument('--knee', type=float, default=0.1, help='where huber, charbonnier and logcosh bend')
        p.add_argument('--flow_weight', type=float, default=0.0, help='weight of the steadiness loss (0: no flow is estimated)')

        # continuing from another run
        p.add_argument('--warm_start', type=str, default='', help='start from the weights of this run (its architecture is taken over)')
        p.add_argument('--warm_epoch', type=str, default='latest', help='which snapshot of that run')
        p.add_argument('--freeze_first', action='store_true', help='do not update the first layer')

        # book-keeping
        p.add_argument('--save_every', type=int, default=5, help='epochs between snapshots')
        p.add_argument('--report_every', type=int, default=1, help='epochs between progress lines')

    def check(self, opt):
        BaseOptions.check(self, opt)
        p = self.parser
        for key in ('maps', 'n_clips', 'batch_frames', 'save_every', 'report_every'):
            if getattr(opt, key) < 1:
                p.error('--%s must be at least 1' % key)
        if opt.hold_epochs < 0 or opt.fade_epochs < 0 or opt.hold_epochs + opt.fade_epochs < 1:
            p.error('there must be at least one epoch')
        if not 0 <= opt.history <= 4 or opt.history >= opt.clip_len:
            p.error('--history must lie between 0 and 4 and be shorter than the clip')
        if opt.step_size <= 0:
            p.error('--step_size must be positive')
        if not 0 <= opt.momentum < 1:
            p.error('--momentum must be at least 0 and below 1')
        if opt.flow_weight < 0:
            p.error('--flow_weight must not be negative')
        if opt.knee <= 0:
            p.error('--knee must be positive')
        if opt.freeze_first and not opt.warm_start:
            p.error('--freeze_first makes sense with --warm_start only')
        if opt.warm_start and opt.warm_start == opt.run_name:
            p.error('--run_name would overwrite the run that --warm_start names')
