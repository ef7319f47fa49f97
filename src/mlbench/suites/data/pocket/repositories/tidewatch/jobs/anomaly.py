"""Anomaly detection by reconstruction error."""
import numpy as np

import feeds
from feeds.catalog import load_anomaly
from jobs import common


def point_scores(net, windows):
    n, channels, length = windows.shape
    error = (net.forward(windows.reshape(-1, length)) - windows.reshape(-1, length)) ** 2
    return error.reshape(n, channels, length).mean(axis=1).reshape(-1)


def credit_segments(found, truth):
    """A segment that was touched once counts as found."""
    found = found.copy()
    i = 0
    while i < len(truth):
        if truth[i]:
            j = i
            while j < len(truth) and truth[j]:
                j += 1
            if found[i:j].any():
                found[i:j] = True
            i = j
        else:
            i += 1
    return found


def run(args, repeat):
    rng = np.random.default_rng(args.seed + repeat)
    clean, test, labels = load_anomaly(args.data)
    scaler = feeds.Scaler().fit(clean)
    clean, test = scaler(clean), scaler(test)
    edge = int(len(clean) * 0.8)
    train = feeds.slide(clean[:edge], args.seq_len, args.window_step).copy()
    val = feeds.slide(clean[edge:], args.seq_len, 4).copy()
    net = common.make_net(args, args.seq_len, args.seq_len, rng, centred=False)

    def flat(w):
        return w.reshape(-1, args.seq_len)

    if args.is_training:
        def step_loss(index):
            x = flat(train[index])
            loss, dy = common.loss_and_grad(args.loss, net.forward(x, True), x)
            return loss, net.backward(dy)

        common.train_net(args, net, step_loss, lambda: common.loss_and_grad(
            args.loss, net.forward(flat(val)), flat(val))[0], len(train), rng)
        common.save(args, repeat, net.params)
    else:
        common.load(args, repeat, net)
    blocks = feeds.slide(test, args.seq_len, args.seq_len)
    scores = point_scores(net, blocks)
    truth = labels[:len(scores)].astype(bool)
    calm = point_scores(net, feeds.slide(clean, args.seq_len, args.seq_len))
    threshold = np.percentile(np.concatenate([calm, scores]), 100 - args.anomaly_ratio)
    found = scores > threshold
    if args.segment_credit:
        found = credit_segments(found, truth)
    hit = int((found & truth).sum())
    precision = hit / max(int(found.sum()), 1)
    recall = hit / max(int(truth.sum()), 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-12)
    metrics = {"threshold": float(threshold), "precision": precision, "recall": recall, "f1": f1}
    common.report(args, repeat, metrics)
    return metrics
