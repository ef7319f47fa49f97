"""Imputation: hide a part of each window and fill it in."""
import numpy as np

import feeds
from jobs import common


def hide(shape, rate, kind, rng, block=6):
    """1 where a value is hidden."""
    if kind == "point":
        return (rng.random(shape) < rate).astype(float)
    seeds = rng.random(shape) < 1 - (1 - rate) ** (1 / block)
    out = seeds.copy()
    for k in range(1, block):
        out[:, k:] |= seeds[:, :-k]
    return out.astype(float)


def run(args, repeat):
    rng = np.random.default_rng(args.seed + repeat)
    values = feeds.load_series(args.data, args.data_path).values
    parts = feeds.split_rows(len(values), args.seq_len)
    values = feeds.Scaler().fit(values[:parts[0][1]])(values)
    sets = []
    for number, (first, last) in enumerate(parts):
        windows = feeds.slide(values[max(first, 0):last], args.seq_len, args.window_step if number == 0 else 3)
        sets.append(windows.copy())
    train, val, test = sets
    net = common.make_net(args, args.seq_len, args.seq_len, rng, centred=False)

    def masked(x):
        hidden = hide(x.shape, args.mask_rate, args.mask_kind, rng)
        return x * (1 - hidden), hidden

    def masked_loss(y, x, hidden):
        total = max(hidden.sum(), 1.0)
        if args.loss == "mae":
            d = (y - x) * hidden
            return float(np.abs(d).sum() / total), np.sign(d) / total
        d = (y - x) * hidden
        return float((d ** 2).sum() / total), 2 * d / total

    def flat(w):
        return w.reshape(-1, args.seq_len)

    val_x = flat(val)
    val_in, val_hidden = masked(val_x)
    if args.is_training:
        def step_loss(index):
            x = flat(train[index])
            given, hidden = masked(x)
            loss, dy = masked_loss(net.forward(given, True), x, hidden)
            return loss, net.backward(dy)

        common.train_net(args, net, step_loss, lambda: masked_loss(net.forward(val_in), val_x, val_hidden)[0],
                         len(train), rng)
        common.save(args, repeat, net.params)
    else:
        common.load(args, repeat, net)
    x = flat(test)
    given, hidden = masked(x)
    d = (net.forward(given) - x)[hidden > 0]
    metrics = {"mse": float((d ** 2).mean()), "mae": float(np.abs(d).mean()), "hidden": float(hidden.mean())}
    common.report(args, repeat, metrics)
    return metrics
