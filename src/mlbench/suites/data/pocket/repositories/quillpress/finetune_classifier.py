"""Fine-tunes an encoder on one of the labelled sets."""

import json
import os

from absl import app, flags
import numpy as np

from quill import data, modeling, optimization, tokenization

FLAGS = flags.FLAGS

flags.DEFINE_enum("task_name", None, sorted(data.TASKS), "Which labelled set.")
flags.DEFINE_string("data_dir", None, "Folder that holds one folder per set, with train.tsv, dev.tsv, test.tsv.")
flags.DEFINE_string("vocab_file", None, "The vocabulary.")
flags.DEFINE_string("config_file", None, "The encoder's configuration.")
flags.DEFINE_string("output_dir", None, "Where results go.")
flags.DEFINE_string("init_checkpoint", None, "Encoder to start from; random weights without.")
flags.DEFINE_bool("do_lower_case", True, "Whether to lower-case the text.")
flags.DEFINE_bool("do_train", False, "Train on train.tsv.")
flags.DEFINE_bool("do_eval", False, "Report on dev.tsv.")
flags.DEFINE_bool("do_predict", False, "Label test.tsv and write test_results.tsv.")
flags.DEFINE_integer("max_seq_length", 32, "Longest text, in pieces.", lower_bound=8, upper_bound=64)
flags.DEFINE_integer("train_batch_size", 16, "Texts a step.", lower_bound=1)
flags.DEFINE_float("num_train_epochs", 3.0, "Passes over train.tsv.", lower_bound=0.0)
flags.DEFINE_float("learning_rate", 3e-3, "Peak learning rate.", lower_bound=0.0)
flags.DEFINE_float("warmup_proportion", 0.1, "Share of the steps spent on warm-up.", lower_bound=0.0, upper_bound=1.0)
flags.DEFINE_enum("pooling", "first", list(modeling.POOLINGS), "How a text becomes one vector.")
flags.DEFINE_float("dropout", 0.0, "Dropout on the pooled vector.", lower_bound=0.0, upper_bound=0.95)
flags.DEFINE_bool("freeze_encoder", False, "Train the classifier only.")
flags.DEFINE_integer("random_seed", 5, "Seed.")


def batches(rows, tokenizer, size, length, order):
    for start in range(0, len(rows), size):
        part = [rows[i] for i in order[start:start + size]]
        cut = [tokenizer.encode(text, pair, length) for _, text, pair in part]
        ids, segments, mask = data.pad_batch([c[0] for c in cut], [c[1] for c in cut])
        yield ids, segments, mask, [label for label, _, _ in part]


def predict(params, config, rows, tokenizer):
    out = []
    for ids, segments, mask, _ in batches(rows, tokenizer, 64, FLAGS.max_seq_length, range(len(rows))):
        outputs, _ = modeling.encode(params, config, ids, segments, mask)
        pooled, _ = modeling.pool(outputs[-1], mask, FLAGS.pooling)
        out.append(modeling._softmax(pooled @ params["classifier/weight"] + params["classifier/bias"]))
    return np.concatenate(out)


def train(params, config, rows, tokenizer):
    rng = np.random.default_rng(FLAGS.random_seed)
    per_epoch = -(-len(rows) // FLAGS.train_batch_size)
    total = max(1, int(round(per_epoch * FLAGS.num_train_epochs)))
    warmup = int(total * FLAGS.warmup_proportion)
    optimizer = optimization.Optimizer("adam")
    step, losses = 0, []
    while step < total:
        for ids, segments, mask, labels in batches(rows, tokenizer, FLAGS.train_batch_size, FLAGS.max_seq_length,
                                                   rng.permutation(len(rows))):
            if step >= total:
                break
            outputs, state = modeling.encode(params, config, ids, segments, mask)
            pooled, back = modeling.pool(outputs[-1], mask, FLAGS.pooling)
            keep = (rng.random(pooled.shape) >= FLAGS.dropout) / (1.0 - FLAGS.dropout)
            dropped = (pooled * keep).astype(np.float32)
            prob = modeling._softmax(dropped @ params["classifier/weight"] + params["classifier/bias"])
            index = np.arange(len(labels))
            losses.append(float(-np.log(prob[index, labels] + 1e-9).mean()))
            prob[index, labels] -= 1.0
            prob /= len(labels)
            grads = {"classifier/weight": dropped.T @ prob, "classifier/bias": prob.sum(axis=0)}
            if not FLAGS.freeze_encoder:
                grad = (prob @ params["classifier/weight"].T * keep).astype(np.float32)
                modeling.backward(params, config, state, back(grad), grads)
            optimization.clip(grads, 1.0)
            optimizer.step(params, grads, optimization.rate_at(step, total, FLAGS.learning_rate, warmup))
            step += 1
        print(f"epoch {step / per_epoch:5.2f}  loss {np.mean(losses[-per_epoch:]):.4f}")


def main(argv):
    if len(argv) > 1:
        raise app.UsageError("Too many command-line arguments.")
    if not (FLAGS.do_train or FLAGS.do_eval or FLAGS.do_predict):
        raise app.UsageError("At least one of do_train, do_eval or do_predict must be true.")
    config = modeling.QuillConfig.from_file(FLAGS.config_file)
    tokenizer = tokenization.Tokenizer(FLAGS.vocab_file, FLAGS.do_lower_case)
    labels = data.TASKS[FLAGS.task_name]
    if FLAGS.init_checkpoint:
        params = modeling.load_checkpoint(FLAGS.init_checkpoint, config)
    else:
        params = modeling.init_params(config, FLAGS.random_seed)
    params.pop("head/bias")
    if params.get("classifier/bias", np.zeros(0)).shape != (len(labels),):
        rng = np.random.default_rng(FLAGS.random_seed)
        params["classifier/weight"] = rng.normal(0, 0.1, (config.hidden_size, len(labels))).astype(np.float32)
        params["classifier/bias"] = np.zeros(len(labels), np.float32)
    os.makedirs(FLAGS.output_dir, exist_ok=True)
    if FLAGS.do_train:
        rows = data.read_task(FLAGS.task_name, FLAGS.data_dir, "train")
        print(f"{FLAGS.task_name}: {len(rows)} training texts, labels {', '.join(labels)}")
        train(params, config, rows, tokenizer)
        modeling.save_checkpoint(os.path.join(FLAGS.output_dir, "classifier.npz"), params)
    if FLAGS.do_eval:
        rows = data.read_task(FLAGS.task_name, FLAGS.data_dir, "dev")
        prob = predict(params, config, rows, tokenizer)
        truth = np.array([r[0] for r in rows])
        result = {"accuracy": float((prob.argmax(axis=1) == truth).mean()),
                  "loss": float(-np.log(prob[np.arange(len(truth)), truth] + 1e-9).mean())}
        print("dev  " + "  ".join(f"{k} {v:.4f}" for k, v in result.items()))
        with open(os.path.join(FLAGS.output_dir, "eval_results.json"), "w", encoding="utf-8") as handle:
            json.dump(result, handle)
    if FLAGS.do_predict:
        rows = data.read_task(FLAGS.task_name, FLAGS.data_dir, "test")
        prob = predict(params, config, rows, tokenizer)
        path = os.path.join(FLAGS.output_dir, "test_results.tsv")
        with open(path, "w", encoding="utf-8") as handle:
            for row in prob:
                handle.write(labels[int(row.argmax())] + "\t" + "\t".join(f"{p:.4f}" for p in row) + "\n")
        print(f"wrote {len(rows)} predictions to {path}")


if __name__ == "__main__":
    flags.mark_flags_as_required(["task_name", "data_dir", "vocab_file", "config_file", "output_dir"])
    app.run(main)
