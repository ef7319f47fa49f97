import numpy as np

from data.clip_dataset import create_dataset
from models.models import create_model
from options.train_options import TrainOptions
from util.snapshot import ARCHITECTURE, adopt, load_options, load_weights, save_snapshot


def step_size_at(opt, epoch):
    """Full for hold_epochs, then linearly down (zero would be reached one epoch after the last)."""
    if epoch <= opt.hold_epochs:
        return opt.step_size
    return opt.step_size * (1 - (epoch - opt.hold_epochs) / (opt.fade_epochs + 1))


def train(opt):
    weights = None
    if opt.warm_start:
        saved = load_options(opt.ckpt_root, opt.warm_start)
        adopt(opt, saved, ARCHITECTURE, 'run %s' % opt.warm_start)
        weights = load_weights(opt.ckpt_root, opt.warm_start, opt.warm_epoch)
    data = create_dataset(opt)
    model = create_model(opt)
    if weights is not None:
        model.load(weights)
        print('starting from %s (%s)' % (opt.warm_start, opt.warm_epoch))
    print('#training clips = %d, %d frames of %d x %d' % (len(data), opt.clip_len, opt.frame_side, opt.frame_side))

    rng = np.random.default_rng([opt.seed, 3])
    pairs = np.array([(n, t) for n in range(len(data)) for t in range(opt.clip_len)])
    total = opt.hold_epochs + opt.fade_epochs
    for epoch in range(1, total + 1):
        size = step_size_at(opt, epoch)
        order = rng.permutation(len(pairs))
        losses = []
        for at in range(0, len(order), opt.batch_frames):
            n, t = pairs[order[at:at + opt.batch_frames]].T
            losses.append(model.step(data, n, t, size))
        frame_loss, flow_loss = np.mean(losses, axis=0)
        if not np.isfinite(frame_loss):
            raise SystemExit('training diverged in epoch %d' % epoch)
        if epoch % opt.report_every == 0 or epoch == total:
            print('(epoch %d/%d, step size %.5f) %s: %.5f steadiness: %.5f' % (epoch, total, size, opt.penalty, frame_loss, flow_loss))
        if epoch % opt.save_every == 0:
            save_snapshot(opt, epoch, model.weights())
    save_snapshot(opt, 'latest', model.weights())
    print('run %s finished, snapshots are in %s/%s' % (opt.run_name, opt.ckpt_root, opt.run_name))


if __name__ == '__main__':
    train(TrainOptions().parse())
