"""Long-horizon forecasting: pred_len steps ahead for every channel."""
import numpy as np

import feeds
import nets
from jobs import common


def prepare(args):
    series = feeds.load_series(args.data, args.data_path)
    values = series.values
    if args.features == "S":
        if args.target not in series.columns:
            raise SystemExit(f"{args.data} has no column {args.target}: {', '.join(series.columns)}")
        values = values[:, [series.columns.index(args.target)]]
    parts = feeds.split_rows(len(values), args.seq_len)
    scaler = feeds.Scaler().fit(values[:parts[0][1]])
    values = scaler(values)
    out = []
    for number, (first, last) in enumerate(parts):
        step = args.window_step if number == 0 else 2
        windows = feeds.slide(values[max(first, 0):last], args.seq_len + args.pred_len, step)
        out.append(windows.copy())
    return out


def flat(windows, seq_len):
    rows = windows.reshape(-1, windows.shape[-1])
    return rows[:, :seq_len], rows[:, seq_len:]


def run(args, repeat):
    rng = np.random.default_rng(args.seed + repeat)
    train, val, test = prepare(args)
    print(f"train {len(train)}  val {len(val)}  test {len(test)}  channels {train.shape[1]}")
    net = common.make_net(args, args.seq_len, args.pred_len, rng)
    if args.is_training:
        if args.model in nets.CLOSED:
            net.fit(*flat(train, args.seq_len))
        else:
            vx, vy = flat(val, args.seq_len)

            def step_loss(index):
                x, y = flat(train[index], args.seq_len)
                loss, dy = common.loss_and_grad(args.loss, net.forward(x, True), y)
                return loss, net.backward(dy)

            common.train_net(args, net, step_loss,
                             lambda: common.loss_and_grad(args.loss, net.forward(vx), vy)[0], len(train), rng)
        common.save(args, repeat, net.params)
    else:
        common.load(args, repeat, net)
    x, y = flat(test, args.seq_len)
    d = net.forward(x) - y
    metrics = {"mse": float((d ** 2).mean()), "mae": float(np.abs(d).mean())}
    common.report(args, repeat, metrics)
    return metrics
