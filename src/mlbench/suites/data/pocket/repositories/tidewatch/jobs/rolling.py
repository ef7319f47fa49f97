"""Rolling-origin back-testing for notebooks; nothing is written to disk."""
import numpy as np

import nets
from jobs.common import Adam, Centred, loss_and_grad


def backtest(series, model="AutoReg", lookback=48, horizon=12, folds=4, column="level", epochs=5,
             learning_rate=0.005, seed=0, expanding=True, **options):
    """Refit `folds` times, each time `horizon` rows later, and score the next `horizon` rows.

    `options` go to nets.build (ar_order=..., ridge=..., moving_avg=..., d_model=..., season=...).
    With expanding=False the training part keeps its first length and slides.
    Returns {"mae": [...], "rmse": [...]} with one entry per fold.
    """
    if folds < 1:
        raise ValueError("folds must be positive")
    values = series.values[:, series.columns.index(column)]
    first = len(values) - folds * horizon
    if first < 2 * (lookback + horizon):
        raise ValueError("not enough rows before the first fold")
    out = {"mae": [], "rmse": []}
    for fold in range(folds):
        end = first + fold * horizon
        past = values[0 if expanding else fold * horizon:end]
        mean, std = past.mean(), past.std() + 1e-8
        past = (past - mean) / std
        rng = np.random.default_rng(seed)
        net = Centred(nets.build(model, lookback, horizon, rng, **options))
        windows = np.lib.stride_tricks.sliding_window_view(past, lookback + horizon)[::2]
        x, y = windows[:, :lookback], windows[:, lookback:]
        if model in nets.CLOSED:
            net.fit(x, y)
        else:
            adam = Adam(net.params)
            for _ in range(epochs):
                order = rng.permutation(len(x))
                for start in range(0, len(x), 64):
                    index = order[start:start + 64]
                    _, dy = loss_and_grad("mse", net.forward(x[index], True), y[index])
                    adam.step(net.backward(dy), learning_rate)
        forecast = net.forward(past[None, -lookback:])[0] * std + mean
        d = forecast - values[end:end + horizon]
        out["mae"].append(float(np.abs(d).mean()))
        out["rmse"].append(float(np.sqrt((d ** 2).mean())))
    return out
