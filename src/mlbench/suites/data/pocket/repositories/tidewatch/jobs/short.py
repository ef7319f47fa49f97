"""Short-horizon forecasting of the medley collection (the horizon belongs to the subset)."""
import numpy as np

import nets
from feeds.catalog import load_medley
from jobs import common


def run(args, repeat):
    rng = np.random.default_rng(args.seed + repeat)
    values, horizon, season = load_medley(args.subset)
    length = args.lookback * horizon
    total = length + horizon
    if total + horizon > values.shape[1]:
        raise SystemExit(f"lookback {args.lookback} is too long for the {args.subset} series")
    scale = values[:, :-horizon].mean(axis=1, keepdims=True)
    scaled = values / scale
    windows = np.lib.stride_tricks.sliding_window_view(scaled[:, :-horizon], total, axis=1)
    train = windows[:, :-1].reshape(-1, total) if windows.shape[1] > 1 else windows.reshape(-1, total)
    val = windows[:, -1]
    train = train[::max(1, len(train) // 400)]
    args.season = min(max(season, 1), length)
    net = common.make_net(args, length, horizon, rng)
    if args.is_training:
        if args.model in nets.CLOSED:
            net.fit(train[:, :length], train[:, length:])
        else:
            def step_loss(index):
                x = train[index]
                loss, dy = common.loss_and_grad(args.loss, net.forward(x[:, :length], True), x[:, length:])
                return loss, net.backward(dy)

            common.train_net(args, net, step_loss, lambda: common.loss_and_grad(
                args.loss, net.forward(val[:, :length]), val[:, length:])[0], len(train), rng)
        common.save(args, repeat, net.params)
    else:
        common.load(args, repeat, net)
    forecast = net.forward(scaled[:, -total:-horizon]) * scale
    truth = values[:, -horizon:]
    past = values[:, :-horizon]
    smape = 200 * np.mean(np.abs(forecast - truth) / (np.abs(forecast) + np.abs(truth)))
    naive = np.abs(past[:, season:] - past[:, :-season]).mean(axis=1, keepdims=True)
    mase = np.mean(np.abs(forecast - truth) / naive)
    metrics = {"smape": float(smape), "mase": float(mase)}
    common.report(args, repeat, metrics)
    return metrics
