import os

import numpy as np

from data.clip_dataset import create_dataset
from models.models import create_model
from options.test_options import TestOptions
from util.export import export
from util.metrics import MEASURES, crop, psnr
from util.snapshot import ARCHITECTURE, LOOK, adopt, load_options, load_weights


def test(opt):
    saved = load_options(opt.ckpt_root, opt.run_name)
    if opt.guide is not None and opt.guide != saved['guide']:
        raise SystemExit('run %s was trained with --guide %s' % (opt.run_name, saved['guide']))
    adopt(opt, saved, ARCHITECTURE + tuple(k for k in LOOK if getattr(opt, k) is None), 'run %s' % opt.run_name)
    data = create_dataset(opt)
    model = create_model(opt)
    model.load(load_weights(opt.ckpt_root, opt.run_name, opt.which_epoch))
    print('run %s (%s) on %d clips of %s' % (opt.run_name, opt.which_epoch, len(data), opt.clips))

    fake = model.translate(data)
    a, b = crop(fake, opt.border), crop(data.frames, opt.border)
    rows = []
    for n in range(len(data)):
        if opt.per_frame:
            for t in range(opt.clip_len):
                print('  clip %d frame %d psnr: %.3f' % (opt.first_clip + n, t, psnr(a[n, t], b[n, t])))
        row = {'clip': opt.first_clip + n}
        row.update({m: round(MEASURES[m](a[n], b[n]), 5) for m in opt.measures})
        rows.append(row)
        print('process clip... ' + '  '.join('%s: %s' % kv for kv in row.items()))
    print('mean  ' + '  '.join('%s: %.4f' % (m, np.mean([r[m] for r in rows])) for m in dict.fromkeys(opt.measures)))
    where = export(opt.export, os.path.join(opt.results_root, '%s_%s' % (opt.run_name, opt.which_epoch)), rows, fake, opt.first_clip)
    if where:
        print('written to ' + where)


if __name__ == '__main__':
    test(TestOptions().parse())
