"""Shared perceptron per point, pooling, perceptron per cloud."""
import numpy as np

from pointfold.nets import Chain, Pool, mlp


def build_classifier(channels, emb_dims, classes, pooling, seed):
    rng = np.random.default_rng(seed)
    return Chain(mlp([channels, 24, emb_dims], rng), Pool(pooling),
                 mlp([emb_dims, 24, classes], rng, last_relu=False))


def accuracy(net, clouds, labels):
    return float(np.mean(net.forward(clouds).argmax(axis=1) == labels))
