import json
import os

import numpy as np

import nets

SCHEDULES = ("flat", "halve", "linear", "cosine")
LOSSES = ("mse", "mae", "huber", "smape")


def loss_and_grad(name, y, target):
    """Mean loss over all entries and its gradient."""
    d = y - target
    n = d.size
    if name == "mse":
        return float((d ** 2).mean()), 2 * d / n
    if name == "mae":
        return float(np.abs(d).mean()), np.sign(d) / n
    if name == "huber":
        small = np.abs(d) <= 1.0
        return float(np.where(small, 0.5 * d ** 2, np.abs(d) - 0.5).mean()), np.where(small, d, np.sign(d)) / n
    if name == "smape":
        bottom = np.abs(y) + np.abs(target) + 1e-8
        value = 2 * np.abs(d) / bottom
        return float(value.mean()), 2 * (np.sign(d) / bottom - np.abs(d) * np.sign(y) / bottom ** 2) / n
    raise ValueError(name)


class Adam:
    def __init__(self, params):
        self.params, self.t = params, 0
        self.m = {k: np.zeros_like(v) for k, v in params.items()}
        self.v = {k: np.zeros_like(v) for k, v in params.items()}

    def step(self, grads, lr):
        self.t += 1
        for k, g in grads.items():
            self.m[k] = 0.9 * self.m[k] + 0.1 * g
            self.v[k] = 0.999 * self.v[k] + 0.001 * g * g
            top = self.m[k] / (1 - 0.9 ** self.t)
            self.params[k] -= lr * top / (np.sqrt(self.v[k] / (1 - 0.999 ** self.t)) + 1e-8)


def adjust(schedule, base, epoch, epochs):
    if schedule == "halve":
        return base * 0.5 ** epoch
    if schedule == "linear":
        return base * (1 - epoch / epochs)
    if schedule == "cosine":
        return base * 0.5 * (1 + np.cos(np.pi * epoch / epochs))
    return base


class Centred:
    """Takes the mean and scale of each window away and puts them back afterwards."""

    def __init__(self, net, active=True):
        self.net, self.params, self.active = net, net.params, active

    def forward(self, x, train=False):
        if not self.active:
            self.std = 1.0
            return self.net.forward(x, train)
        mean = x.mean(1, keepdims=True)
        self.std = x.std(1, keepdims=True) + 1e-3
        return self.net.forward((x - mean) / self.std, train) * self.std + mean

    def backward(self, dy):
        return self.net.backward(dy * self.std)

    def fit(self, x, y):
        if self.active:
            mean, std = x.mean(1, keepdims=True), x.std(1, keepdims=True) + 1e-3
            x, y = (x - mean) / std, (y - mean) / std
        self.net.fit(x, y)


def make_net(args, length, out, rng, centred=True):
    net = nets.build(args.model, length, out, rng, d_model=args.d_model, dropout=args.dropout,
                     moving_avg=args.moving_avg, patch_len=args.patch_len, stride=args.stride,
                     top_k=args.top_k, ar_order=args.ar_order, ridge=args.ridge, season=args.season)
    return Centred(net, centred and args.use_norm == 1)


def train_net(args, net, step_loss, val_loss, count, rng):
    """step_loss(index) -> loss, grads; val_loss() -> number."""
    adam = Adam(net.params)
    best, best_params, bad = np.inf, None, 0
    for epoch in range(args.train_epochs):
        lr = adjust(args.lradj, args.learning_rate, epoch, args.train_epochs)
        order = rng.permutation(count)
        losses = []
        for start in range(0, count, args.batch_size):
            loss, grads = step_loss(order[start:start + args.batch_size])
            adam.step(grads, lr)
            losses.append(loss)
        vali = val_loss()
        print(f"Epoch: {epoch + 1} | lr {lr:.6f} | Train Loss: {np.mean(losses):.5f} Vali Loss: {vali:.5f}")
        if vali < best:
            best, bad = vali, 0
            best_params = {k: v.copy() for k, v in net.params.items()}
        else:
            bad += 1
            if bad >= args.patience:
                print("Early stopping")
                break
    if best_params is not None:
        for k, v in best_params.items():
            net.params[k][...] = v


def setting_of(args, repeat):
    return (f"{args.task_name}_{args.model_id}_{args.model}_{args.data}_sl{args.seq_len}"
            f"_pl{args.pred_len}_dm{args.d_model}_{args.des}_{repeat}")


def checkpoint_path(args, repeat):
    return os.path.join(args.checkpoints, setting_of(args, repeat), "model.npz")


def save(args, repeat, params):
    path = checkpoint_path(args, repeat)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    np.savez(path, **params)


def load(args, repeat, net):
    path = checkpoint_path(args, repeat)
    if not os.path.exists(path):
        raise SystemExit(f"no checkpoint {path}: train first (--is_training 1)")
    with np.load(path) as stored:
        for k in stored.files:
            net.params[k] = stored[k]
            if hasattr(net, "net"):
                net.net.params[k] = stored[k]


def report(args, repeat, metrics):
    folder = os.path.join("results", setting_of(args, repeat))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "metrics.json"), "w", encoding="utf-8") as handle:
        json.dump({"args": vars(args), "metrics": metrics}, handle, indent=1, sort_keys=True)
    print("  ".join(f"{k}: {v:.5f}" for k, v in metrics.items()))
