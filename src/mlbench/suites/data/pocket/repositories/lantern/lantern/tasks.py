"""Training and evaluation for the three tasks of train.py and evaluate.py."""

import json
import os

import numpy as np

from lantern.common.config import ConfigError
from lantern.common.optims import learning_rate
from lantern.common.registry import registry
from lantern.datasets import build_dataset
from lantern.models import collate, load_model, load_preprocess, take


class Task:
    arch = ()

    def check(self, config):
        model, run = config["model"], config["run"]
        if model["arch"] not in self.arch:
            raise ConfigError(f"task {run['task']} is for {', '.join(self.arch)}, not {model['arch']!r}")

    def load(self, config, split, count):
        data = build_dataset(config["data"]["name"], split, count, config["data"]["noise"])
        vis, txt = load_preprocess()
        return collate(data.items, vis["train" if split == "train" else "eval"], txt["eval"])


@registry.register_task("captioning")
class Captioning(Task):
    arch = ("lantern_caption",)

    def evaluate(self, model, samples, batch_size):
        exact = overlap = total = 0
        for batch in batches(samples, batch_size):
            for guess, truth in zip(model.generate(batch, num_beams=1), batch["caption"]):
                a, b = guess.split(), truth.split()
                exact += a == b
                overlap += sum(x == y for x, y in zip(a, b)) / max(len(a), len(b))
                total += 1
        return {"exact": exact / total, "word_accuracy": overlap / total}


@registry.register_task("vqa")
class VQA(Task):
    arch = ("lantern_vqa",)

    def evaluate(self, model, samples, batch_size):
        hits = total = 0
        for batch in batches(samples, batch_size):
            answers = model.predict_answers({**batch, "text_input": batch["question"]})
            hits += sum(a[0] == b for a, b in zip(answers, batch["answer"]))
            total += len(answers)
        return {"accuracy": hits / total}


@registry.register_task("retrieval")
class Retrieval(Task):
    arch = ("twinlight", "lantern_feature_extractor")

    def evaluate(self, model, samples, batch_size):
        """Ranks inside each batch, as in training: a larger batch_size_eval is harder."""
        r1 = r3 = total = 0
        for batch in batches(samples, batch_size):
            scores = model.encode_image(batch) @ model.encode_text(batch["caption"]).T
            rank = (scores > np.diag(scores)[:, None]).sum(1)
            r1 += (rank < 1).sum()
            r3 += (rank < 3).sum()
            total += len(rank)
        return {"R@1": r1 / total, "R@3": r3 / total}


def batches(samples, size, order=None):
    order = np.arange(len(samples["image"])) if order is None else order
    for start in range(0, len(order), size):
        yield take(samples, order[start : start + size])


def setup(config):
    """Look every name up before any work; a wrong one is a ConfigError."""
    try:
        task = registry.get("task", config["run"]["task"])()
        task.check(config)
        registry.get("dataset", config["data"]["name"])
        optimizer = registry.get("optimizer", config["run"]["optimizer"])
        registry.get("lr_sched", config["run"]["lr_sched"])
        extra = {"temperature": config["model"]["temperature"]} if isinstance(task, Retrieval) else {}
        model = load_model(config["model"]["arch"], config["model"]["model_type"],
                           pretrained=config["model"]["load_pretrained"], **extra)
    except KeyError as error:
        raise ConfigError(error.args[0]) from None
    return task, model, optimizer


def train(config, log=print):
    run = config["run"]
    task, model, optimizer_class = setup(config)
    optimizer = optimizer_class(model.params, run["weight_decay"])
    samples = task.load(config, "train", config["data"]["num_train"])
    samples["features"] = model.vision(samples["image"])
    val = task.load(config, "val", config["data"]["num_val"])
    rng = np.random.default_rng(run["seed"])
    count = len(samples["image"])
    total, step = run["max_epoch"] * -(-count // run["batch_size"]), 0
    os.makedirs(run["output_dir"], exist_ok=True)
    log(f"{config['model']['arch']} ({model.num_parameters()} parameters), {count} training pictures")
    history = []
    for epoch in range(run["max_epoch"]):
        losses = []
        for batch in batches(samples, run["batch_size"], rng.permutation(count)):
            lr = learning_rate(run, step, total)
            loss, grads = model.loss_and_grads(batch)
            optimizer.step(grads, lr)
            losses.append(loss)
            step += 1
        metrics = task.evaluate(model, val, run["batch_size_eval"])
        history.append({"epoch": epoch + 1, "train_loss": round(float(np.mean(losses)), 5),
                        **{k: round(float(v), 4) for k, v in metrics.items()}})
        shown = "  ".join(f"{k} {v:.3f}" for k, v in metrics.items())
        log(f"epoch {epoch + 1}/{run['max_epoch']}  lr {lr:.2e}  loss {np.mean(losses):.4f}  {shown}")
    model.save_checkpoint(os.path.join(run["output_dir"], "checkpoint.npz"))
    with open(os.path.join(run["output_dir"], "log.json"), "w", encoding="utf-8") as handle:
        json.dump({"config": config, "history": history}, handle, indent=1)
    return history


def evaluate(config, checkpoint=None, log=print):
    task, model, _ = setup(config)
    if checkpoint:
        model.load_checkpoint(checkpoint)
    model.eval()
    samples = task.load(config, "test", config["data"]["num_test"])
    metrics = task.evaluate(model, samples, config["run"]["batch_size_eval"])
    metrics = {k: round(float(v), 4) for k, v in metrics.items()}
    for key, value in metrics.items():
        log(f"{key}: {value:.4f}")
    return {"task": config["run"]["task"], "data": config["data"], "batch_size_eval": config["run"]["batch_size_eval"],
            **metrics}
