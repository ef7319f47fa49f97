"""Masked pre-training."""

import json
import os
import shutil

from absl import app, flags
import numpy as np

from quill import data, modeling, optimization

FLAGS = flags.FLAGS

flags.DEFINE_list("input_file", None, "Examples of create_examples.py (comma-separated; globs allowed).")
flags.DEFINE_string("output_dir", None, "Where the checkpoint goes.")
flags.DEFINE_string("config_file", None, "The model's configuration (JSON).")
flags.DEFINE_string("init_checkpoint", None, "Checkpoint to go on from.")
flags.DEFINE_string("vocab_file", None, "Copied beside the checkpoint, if given.")
flags.DEFINE_integer("num_train_steps", 40, "Steps.", lower_bound=1)
flags.DEFINE_integer("num_warmup_steps", 4, "Steps of linear warm-up.", lower_bound=0)
flags.DEFINE_integer("train_batch_size", 16, "Examples a step.", lower_bound=1)
flags.DEFINE_float("learning_rate", 5e-3, "Peak learning rate.", lower_bound=0.0)
flags.DEFINE_enum("optimizer", "adam", list(optimization.OPTIMIZERS), "Optimiser.")
flags.DEFINE_enum("schedule", "linear", list(optimization.SCHEDULES), "What happens to the rate after warm-up.")
flags.DEFINE_float("weight_decay", 0.0, "Decoupled weight decay.", lower_bound=0.0)
flags.DEFINE_float("clip_norm", 1.0, "Limit of the gradient norm; 0 switches it off.", lower_bound=0.0)
flags.DEFINE_integer("random_seed", 3, "Seed of the weights and of the order.")


def main(argv):
    if len(argv) > 1:
        raise app.UsageError("Too many command-line arguments.")
    config = modeling.QuillConfig.from_file(FLAGS.config_file)
    examples = data.read_examples(FLAGS.input_file)
    held_out = max(1, min(24, len(examples) // 10))
    evaluation, training = data.example_batch(examples[:held_out]), examples[held_out:]
    if not training:
        raise ValueError("too few examples")
    if FLAGS.init_checkpoint:
        params = modeling.load_checkpoint(FLAGS.init_checkpoint, config)
    else:
        params = modeling.init_params(config, FLAGS.random_seed)
    optimizer = optimization.Optimizer(FLAGS.optimizer, FLAGS.weight_decay)
    rng = np.random.default_rng(FLAGS.random_seed)
    size = sum(p.size for p in params.values())
    print(f"{len(training)} examples, {size} parameters, {FLAGS.num_train_steps} steps of {FLAGS.train_batch_size}")
    every = max(1, FLAGS.num_train_steps // 5)
    for step in range(FLAGS.num_train_steps):
        chosen = rng.integers(0, len(training), FLAGS.train_batch_size)
        loss, _, grads = modeling.masked_loss(params, config, data.example_batch([training[i] for i in chosen]))
        optimization.clip(grads, FLAGS.clip_norm)
        rate = optimization.rate_at(step, FLAGS.num_train_steps, FLAGS.learning_rate,
                                    FLAGS.num_warmup_steps, FLAGS.schedule)
        optimizer.step(params, grads, rate)
        if (step + 1) % every == 0:
            print(f"step {step + 1:4d}  loss {loss:.4f}  rate {rate:.2e}")
    loss, hits, _ = modeling.masked_loss(params, config, evaluation, train=False)
    print(f"held out: loss {loss:.4f}  perplexity {np.exp(loss):.2f}  accuracy {hits:.4f}")
    os.makedirs(FLAGS.output_dir, exist_ok=True)
    modeling.save_checkpoint(os.path.join(FLAGS.output_dir, "model.npz"), params)
    shutil.copyfile(FLAGS.config_file, os.path.join(FLAGS.output_dir, "config.json"))
    if FLAGS.vocab_file:
        shutil.copyfile(FLAGS.vocab_file, os.path.join(FLAGS.output_dir, "vocab.txt"))
    with open(os.path.join(FLAGS.output_dir, "pretrain_results.json"), "w", encoding="utf-8") as handle:
        json.dump({"loss": loss, "accuracy": hits, "steps": FLAGS.num_train_steps}, handle)


if __name__ == "__main__":
    flags.mark_flags_as_required(["input_file", "output_dir", "config_file"])
    app.run(main)
