"""Classification: the model makes d_model numbers per channel, a softmax layer reads them."""
import numpy as np

from feeds.catalog import CLASS_SETS, load_classes
from jobs import common


class Classifier:
    def __init__(self, body, channels, d_model, classes, rng):
        self.body, self.channels = body, channels
        self.params = body.params
        self.params["soft_w"] = rng.normal(0, 0.1, (channels * d_model, classes))
        self.params["soft_b"] = np.zeros(classes)

    def forward(self, x, train=False):
        self.h = self.body.forward(x.reshape(-1, x.shape[-1]), train).reshape(len(x), -1)
        logits = self.h @ self.params["soft_w"] + self.params["soft_b"]
        logits -= logits.max(1, keepdims=True)
        e = np.exp(logits)
        return e / e.sum(1, keepdims=True)

    def backward(self, p, labels):
        d = p.copy()
        d[np.arange(len(d)), labels] -= 1
        d /= len(d)
        grads = self.body.backward((d @ self.params["soft_w"].T).reshape(len(d) * self.channels, -1))
        grads["soft_w"], grads["soft_b"] = self.h.T @ d, d.sum(0)
        return grads


def cross_entropy(p, labels):
    return float(-np.log(p[np.arange(len(p)), labels] + 1e-12).mean())


def run(args, repeat):
    rng = np.random.default_rng(args.seed + repeat)
    x, labels = load_classes(args.data)
    classes, channels, length, count = CLASS_SETS[args.data]
    args.seq_len, args.pred_len = length, 0
    a, b = int(count * 0.6), int(count * 0.75)
    net = Classifier(common.make_net(args, length, args.d_model, rng, centred=False), channels, args.d_model, classes, rng)
    if args.is_training:
        def step_loss(index):
            p = net.forward(x[index], True)
            return cross_entropy(p, labels[index]), net.backward(p, labels[index])

        common.train_net(args, net, step_loss, lambda: cross_entropy(net.forward(x[a:b]), labels[a:b]), a, rng)
        common.save(args, repeat, net.params)
    else:
        common.load(args, repeat, net)
    p = net.forward(x[b:])
    metrics = {"accuracy": float((p.argmax(1) == labels[b:]).mean()), "cross_entropy": cross_entropy(p, labels[b:])}
    common.report(args, repeat, metrics)
    return metrics
