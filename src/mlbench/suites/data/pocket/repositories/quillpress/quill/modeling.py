"""The encoder: self-attention and a feed-forward block per layer, gradients by hand."""

import dataclasses
import json
import os

import numpy as np


@dataclasses.dataclass
class QuillConfig:
    vocab_size: int
    hidden_size: int = 16
    num_layers: int = 2
    filter_size: int = 32
    max_positions: int = 64
    activation: str = "tanh"
    init_range: float = 0.08

    @classmethod
    def from_file(cls, path):
        with open(path, encoding="utf-8") as handle:
            return cls(**json.load(handle))


ACTIVATIONS = {
    "tanh": (np.tanh, lambda x, y: 1.0 - y * y),
    "relu": (lambda x: np.maximum(x, 0.0), lambda x, y: (x > 0).astype(x.dtype)),
}


def init_params(config, seed=0):
    rng = np.random.default_rng(seed)
    h, f = config.hidden_size, config.filter_size

    def normal(*shape, scale=config.init_range):
        return rng.normal(0.0, scale, shape).astype(np.float32)

    params = {
        "embed/piece": normal(config.vocab_size, h),
        "embed/position": normal(config.max_positions, h),
        "embed/segment": normal(2, h),
        "head/bias": np.zeros(config.vocab_size, np.float32),
    }
    for i in range(config.num_layers):
        for name in ("q", "k", "v", "o"):
            params[f"layer{i}/{name}"] = normal(h, h, scale=h ** -0.5)
        params[f"layer{i}/in"] = normal(h, f, scale=h ** -0.5)
        params[f"layer{i}/in_bias"] = np.zeros(f, np.float32)
        params[f"layer{i}/out"] = normal(f, h, scale=0.5 * f ** -0.5)
        params[f"layer{i}/out_bias"] = np.zeros(h, np.float32)
    return params


def _softmax(x):
    x = np.exp(x - x.max(axis=-1, keepdims=True))
    return x / x.sum(axis=-1, keepdims=True)


def encode(params, config, ids, segments, mask):
    """All layer outputs (the embeddings first) and what the backward pass needs."""
    length = ids.shape[1]
    if length > config.max_positions:
        raise ValueError(f"sequences of {length} pieces, but max_positions is {config.max_positions}")
    act, _ = ACTIVATIONS[config.activation]
    x = params["embed/piece"][ids] + params["embed/position"][:length] + params["embed/segment"][segments]
    outputs, tape = [x], []
    shut = ((1.0 - mask) * -1e4)[:, None, :].astype(np.float32)
    root = np.float32(config.hidden_size ** -0.5)
    for i in range(config.num_layers):
        w = {n: params[f"layer{i}/{n}"] for n in ("q", "k", "v", "o", "in", "in_bias", "out", "out_bias")}
        q, k, v = x @ w["q"], x @ w["k"], x @ w["v"]
        a = _softmax(q @ k.transpose(0, 2, 1) * root + shut)
        c = a @ v
        y = x + c @ w["o"]
        pre = y @ w["in"] + w["in_bias"]
        z = act(pre)
        tape.append((x, q, k, v, a, c, y, pre, z, w))
        x = y + z @ w["out"] + w["out_bias"]
        outputs.append(x)
    return outputs, (tape, ids, segments, root)


def backward(params, config, state, grad, grads):
    """Adds the gradients of the encoder's parameters to `grads`; grad is that of the last output."""
    tape, ids, segments, root = state
    _, slope = ACTIVATIONS[config.activation]

    def outer(a, b):
        return a.reshape(-1, a.shape[-1]).T @ b.reshape(-1, b.shape[-1])

    for i in reversed(range(config.num_layers)):
        x, q, k, v, a, c, y, pre, z, w = tape[i]
        grads[f"layer{i}/out"] = outer(z, grad)
        grads[f"layer{i}/out_bias"] = grad.sum(axis=(0, 1))
        dpre = (grad @ w["out"].T) * slope(pre, z)
        grads[f"layer{i}/in"] = outer(y, dpre)
        grads[f"layer{i}/in_bias"] = dpre.sum(axis=(0, 1))
        dy = grad + dpre @ w["in"].T
        grads[f"layer{i}/o"] = outer(c, dy)
        dc = dy @ w["o"].T
        da = dc @ v.transpose(0, 2, 1)
        dv = a.transpose(0, 2, 1) @ dc
        ds = a * (da - (da * a).sum(axis=-1, keepdims=True)) * root
        dq, dk = ds @ k, ds.transpose(0, 2, 1) @ q
        grads[f"layer{i}/q"], grads[f"layer{i}/k"], grads[f"layer{i}/v"] = outer(x, dq), outer(x, dk), outer(x, dv)
        grad = dy + dq @ w["q"].T + dk @ w["k"].T + dv @ w["v"].T
    piece = grads.setdefault("embed/piece", np.zeros_like(params["embed/piece"]))
    np.add.at(piece, ids, grad)
    position = np.zeros_like(params["embed/position"])
    position[:ids.shape[1]] = grad.sum(axis=0)
    grads["embed/position"] = position
    segment = np.zeros_like(params["embed/segment"])
    for s in (0, 1):
        segment[s] = grad[segments == s].sum(axis=0)
    grads["embed/segment"] = segment


def masked_loss(params, config, batch, train=True):
    """Mean cross-entropy and accuracy at the blanks, and the gradients if train."""
    outputs, state = encode(params, config, batch["ids"], batch["segments"], batch["mask"])
    rows, cols = batch["rows"], batch["cols"]
    h = outputs[-1][rows, cols]
    prob = _softmax(h @ params["embed/piece"].T + params["head/bias"])
    n = len(rows)
    labels = batch["labels"]
    loss = float(-np.log(prob[np.arange(n), labels] + 1e-9).mean())
    hits = float((prob.argmax(axis=1) == labels).mean())
    if not train:
        return loss, hits, None
    prob[np.arange(n), labels] -= 1.0
    prob /= n
    grads = {"head/bias": prob.sum(axis=0), "embed/piece": prob.T @ h}
    grad = np.zeros_like(outputs[-1])
    np.add.at(grad, (rows, cols), prob @ params["embed/piece"])
    backward(params, config, state, grad, grads)
    return loss, hits, grads


POOLINGS = ("first", "mean", "max", "last")


def pool(x, mask, how):
    """One vector per text, and the function that carries a gradient back."""
    rows = np.arange(x.shape[0])
    ends = mask.sum(axis=1).astype(int) - 1
    if how in ("first", "last"):
        at = np.zeros_like(ends) if how == "first" else ends

        def back(g):
            out = np.zeros_like(x)
            out[rows, at] = g
            return out
        return x[rows, at], back
    if how == "mean":
        weight = (mask / mask.sum(axis=1, keepdims=True)).astype(x.dtype)[:, :, None]
        return (x * weight).sum(axis=1), lambda g: g[:, None, :] * weight
    if how == "max":
        hidden = np.where(mask[:, :, None] > 0, x, -np.inf)
        best = hidden.argmax(axis=1)

        def back(g):
            out = np.zeros_like(x)
            np.put_along_axis(out, best[:, None, :], g[:, None, :], axis=1)
            return out
        return np.take_along_axis(x, best[:, None, :], axis=1)[:, 0], back
    raise ValueError(f"unknown pooling {how!r}; one of {', '.join(POOLINGS)}")


def save_checkpoint(path, params):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    np.savez(path, **params)


def load_checkpoint(path, config=None):
    """Reads .npz, or the text form (.json) in which the small releases are kept."""
    if path.endswith(".json"):
        with open(path, encoding="utf-8") as handle:
            params = {k: np.array(v, np.float32) for k, v in json.load(handle).items()}
    else:
        with np.load(path) as archive:
            params = {k: archive[k] for k in archive.files}
    if config is not None:
        for name, value in init_params(config).items():
            if name not in params or params[name].shape != value.shape:
                raise ValueError(f"{path} does not fit the configuration: {name} should be {value.shape}")
    return params
