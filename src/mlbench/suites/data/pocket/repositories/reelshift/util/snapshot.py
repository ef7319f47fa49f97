"""Snapshots are small JSON files, so that they can be diffed and mailed."""
import json
import os

import numpy as np

ARCHITECTURE = ('task', 'net', 'maps', 'kernel', 'history', 'feedback', 'guide')
LOOK = ('clips', 'palette')


def _round(a):
    return [_round(v) for v in a] if isinstance(a, list) else float('%.4g' % a)


def save_snapshot(opt, epoch, weights):
    folder = os.path.join(opt.ckpt_root, opt.run_name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'opt.json'), 'w') as f:
        json.dump({k: getattr(opt, k) for k in ARCHITECTURE + LOOK}, f, indent=1)
        f.write('\n')
    with open(os.path.join(folder, '%s_net.json' % epoch), 'w') as f:
        json.dump({k: _round(w.tolist()) for k, w in weights.items()}, f, separators=(',', ':'))
        f.write('\n')


def load_options(ckpt_root, run_name):
    path = os.path.join(ckpt_root, run_name, 'opt.json')
    if not os.path.exists(path):
        raise SystemExit('there is no run %r in %s' % (run_name, ckpt_root))
    with open(path) as f:
        return json.load(f)


def load_weights(ckpt_root, run_name, epoch):
    path = os.path.join(ckpt_root, run_name, '%s_net.json' % epoch)
    if not os.path.exists(path):
        raise SystemExit('run %r has no snapshot %r' % (run_name, epoch))
    with open(path) as f:
        return {k: np.asarray(v, dtype=float) for k, v in json.load(f).items()}


def adopt(opt, saved, keys, what):
    """Takes over saved options; those that the user fixed must agree."""
    if saved['task'] != opt.task:
        raise SystemExit('%s was trained for --task %s, not %s' % (what, saved['task'], opt.task))
    for key in keys:
        setattr(opt, key, saved[key])
