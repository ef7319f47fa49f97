"""Training, evaluation and checkpoints."""

import json
import math
import os

import numpy as np

from problemforge import registry

OPTIMIZERS = ("adam", "sgd", "rmsprop", "adagrad")
SCHEDULES = ("constant", "linear", "rsqrt")


def learning_rate(hparams, step, total):
    """Rate of step 1, 2, ..."""
    if hparams.learning_rate_schedule not in SCHEDULES:
        raise ValueError(f"learning_rate_schedule is one of {', '.join(SCHEDULES)}")
    rate, warmup = hparams.learning_rate, hparams.warmup_steps
    if step <= warmup:
        return rate * step / warmup
    if hparams.learning_rate_schedule == "linear":
        return rate * (total - step + 1) / max(1, total - warmup)
    if hparams.learning_rate_schedule == "rsqrt":
        return rate / math.sqrt(step - warmup)
    return rate


def _update(kind, value, grad, memory, count):
    if kind == "sgd":
        memory[0][...] = 0.9 * memory[0] + grad
        return memory[0]
    if kind == "adagrad":
        memory[1][...] += grad * grad
        return grad / (np.sqrt(memory[1]) + 1e-7)
    if kind == "rmsprop":
        memory[1][...] = 0.95 * memory[1] + 0.05 * grad * grad
        return grad / (np.sqrt(memory[1]) + 1e-5)
    memory[0][...] = 0.9 * memory[0] + 0.1 * grad
    memory[1][...] = 0.99 * memory[1] + 0.01 * grad * grad
    return memory[0] / (1 - 0.9 ** count) / (np.sqrt(memory[1] / (1 - 0.99 ** count)) + 1e-7)


def _probabilities(logits):
    p = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return p / p.sum(axis=-1, keepdims=True)


def train(model, data, steps, log=print, seed=0):
    """Trains in place; `data` is (inputs, targets). Returns the losses."""
    hp = model.hparams
    if hp.optimizer not in OPTIMIZERS:
        raise ValueError(f"optimizer is one of {', '.join(OPTIMIZERS)}")
    if hp.batch_size < 1:
        raise ValueError("batch_size should be positive")
    inputs, targets = data
    rng = np.random.default_rng(seed)
    memory = {k: (np.zeros_like(v.value), np.zeros_like(v.value)) for k, v in model.params.items()}
    eye = np.eye(model.problem.vocab_size, dtype=np.float32)
    losses = []
    for step in range(1, steps + 1):
        chosen = rng.integers(0, len(inputs), hp.batch_size)
        logits = model(inputs[chosen], train=True)
        wanted = eye[targets[chosen]] * (1 - hp.label_smoothing) + hp.label_smoothing / len(eye)
        p = _probabilities(logits.value)
        places = wanted.shape[0] * wanted.shape[1]
        losses.append(float(-(wanted * np.log(p + 1e-9)).sum() / places))
        for var in model.params.values():
            var.grad = None
        logits.backward(((p - wanted) / places).astype(np.float32))
        grads = {k: v.grad for k, v in model.params.items()}
        norm = math.sqrt(sum(float((g * g).sum()) for g in grads.values()))
        scale = min(1.0, hp.clip_grad_norm / (norm + 1e-9)) if hp.clip_grad_norm else 1.0
        rate = learning_rate(hp, step, steps)
        for key, grad in grads.items():
            var = model.params[key]
            change = _update(hp.optimizer, var.value, grad * scale, memory[key], step) + hp.weight_decay * var.value
            var.value = (var.value - rate * change).astype(np.float32)
        if log and (step % max(1, steps // 5) == 0 or step == steps):
            log(f"step {step:5d}  loss {losses[-1]:.4f}  lr {rate:.5f}")
    return losses


def evaluate(model, data, limit=None):
    """Loss, accuracy of the places and of whole sequences."""
    inputs, targets = data[0][:limit], data[1][:limit]
    p = _probabilities(model(inputs).value)
    right = p.argmax(axis=-1) == targets
    picked = np.take_along_axis(p, targets[:, :, None], axis=2)
    return {"loss": float(-np.log(picked + 1e-9).mean()), "accuracy": float(right.mean()),
            "accuracy_per_sequence": float(right.all(axis=1).mean())}


def save(model, output_dir, hparams_set=""):
    os.makedirs(output_dir, exist_ok=True)
    np.savez(os.path.join(output_dir, "model.npz"), **{k: v.value for k, v in model.params.items()})
    about = {"problem": model.problem.name, "model": model.registered_name, "hparams_set": hparams_set,
             "hparams": model.hparams.values()}
    with open(os.path.join(output_dir, "hparams.json"), "w", encoding="utf-8") as handle:
        json.dump(about, handle, indent=1)


def restore(model, output_dir):
    with np.load(os.path.join(output_dir, "model.npz")) as archive:
        if {k: archive[k].shape for k in archive.files} != {k: v.shape for k, v in model.params.items()}:
            raise ValueError(f"the checkpoint in {output_dir} is of another problem, model or hyper-parameter set")
        for key, var in model.params.items():
            var.value = archive[key]


def create(problem_name, model_name, hparams, seed=0):
    """A fresh model by names (or a problem object)."""
    problem = registry.problem(problem_name) if isinstance(problem_name, str) else problem_name
    return registry.model(model_name)(problem, hparams, seed)
