import argparse
import os

import numpy as np

from pointfold import nets
from pointfold.data import batches, build, class_names
from pointfold.geometry import project_to_rotation, random_pose, rotation_error, square_distances
from pointfold.shapes import FAMILIES, sample_shape


def options():
    parser = argparse.ArgumentParser(description="Learned registration (training)")
    parser.add_argument("--exp_name", type=str, default="exp_registration")
    parser.add_argument("--family", default="furniture", choices=sorted(FAMILIES))
    parser.add_argument("--num_points", default=40, type=int)
    parser.add_argument("--num_pairs", default=200, type=int, help="training pairs")
    parser.add_argument("--max_angle", default=45.0, type=float, help="degrees")
    parser.add_argument("--max_shift", default=0.2, type=float)
    parser.add_argument("--partial", action="store_true", help="a quarter of the template is cut off")
    parser.add_argument("--loss", default="points", choices=["points", "chamfer", "matrix"])
    parser.add_argument("--pooling", default="max", choices=nets.POOLINGS)
    parser.add_argument("--emb_dims", default=32, type=int)
    parser.add_argument("-j", "--workers", default=2, type=int)
    parser.add_argument("-b", "--batch_size", default=16, type=int)
    parser.add_argument("--epochs", default=10, type=int)
    parser.add_argument("--optimizer", default="Adam", choices=nets.OPTIMIZERS)
    parser.add_argument("--lr", default=0.004, type=float)
    parser.add_argument("--seed", type=int, default=1234)
    return parser


class RegistrationNet:
    """Codes of both clouds -> a 3x3 matrix and a shift."""

    def __init__(self, emb_dims, pooling, seed):
        rng = np.random.default_rng(seed)
        self.encoder = nets.Chain(nets.mlp([3, 24, emb_dims], rng), nets.Pool(pooling))
        self.head = nets.Chain(nets.mlp([2 * emb_dims, 32], rng), nets.Linear(32, 12, rng, 0.1))
        self.half = emb_dims

    def slots(self):
        return self.encoder.slots() + self.head.slots()

    def forward(self, source, template):
        code = self.encoder.forward(np.concatenate([source, template]))
        n = len(source)
        out = self.head.forward(np.hstack([code[:n], code[n:]]))
        return out[:, :9].reshape(-1, 3, 3) + np.eye(3), out[:, 9:]

    def backward(self, g_matrix, g_shift):
        g = self.head.backward(np.hstack([g_matrix.reshape(-1, 9), g_shift]))
        self.encoder.backward(np.concatenate([g[:, :self.half], g[:, self.half:]]))


def pair(i, args, seed):
    rng = np.random.default_rng([seed, i])
    names = class_names(args.family)
    xyz, _, _ = sample_shape(names[i % len(names)], args.num_points, rng)
    r, t = random_pose(rng, args.max_angle, args.max_shift)
    template = xyz @ r.T + t
    if args.partial:  # a quarter is cut off, other points repeat
        order = np.argsort(-template @ rng.normal(size=3))
        left = order[: max(3, 3 * args.num_points // 4)]
        template = template[np.resize(left, args.num_points)]
    return xyz, template, r, t


def stack(count, args, seed):
    rows = build(lambda i: pair(i, args, seed), count, args.workers)
    return [np.stack(column) for column in zip(*rows)]


def loss_and_gradient(kind, matrix, shift, source, template, r, t):
    if kind == "matrix":
        dm, ds = matrix - r, shift - t
        value = np.mean((dm ** 2).sum((1, 2)) + (ds ** 2).sum(1))
        return value, 2 * dm / len(dm), 2 * ds / len(ds)
    moved = source @ np.swapaxes(matrix, 1, 2) + shift[:, None]
    scale = 1.0 / (moved.shape[0] * moved.shape[1])
    if kind == "points":
        gap = moved - (source @ np.swapaxes(r, 1, 2) + t[:, None])
        value, g = (gap ** 2).sum() * scale, 2 * gap * scale
    else:
        d = square_distances(moved, template)
        near, back = d.argmin(axis=2), d.argmin(axis=1)
        gap = moved - np.take_along_axis(template, near[..., None], axis=1)
        gap_back = np.take_along_axis(moved, back[..., None], axis=1) - template
        value = ((gap ** 2).sum() + (gap_back ** 2).sum()) * scale
        g = 2 * gap * scale
        rows = np.arange(len(moved))[:, None]
        np.add.at(g, (rows, back), 2 * gap_back * scale)
    return value, np.swapaxes(g, 1, 2) @ source, g.sum(axis=1)


def main(args):
    train = stack(args.num_pairs, args, args.seed)
    val = stack(24, args, args.seed + 1)
    net = RegistrationNet(args.emb_dims, args.pooling, args.seed)
    optimizer = nets.Optimizer(args.optimizer, net.slots(), args.lr)
    rng = np.random.default_rng(args.seed)
    path = os.path.join("checkpoints", args.exp_name, "best_model.json")
    best = np.inf
    for epoch in range(1, args.epochs + 1):
        losses = []
        for index in batches(rng.permutation(args.num_pairs), args.batch_size):
            source, template, r, t = (column[index] for column in train)
            matrix, shift = net.forward(source, template)
            value, gm, gs = loss_and_gradient(args.loss, matrix, shift, source, template, r, t)
            net.backward(gm, gs)
            optimizer.step()
            losses.append(value)
        matrix, shift = net.forward(val[0], val[1])
        guess = project_to_rotation(matrix)
        angle = np.mean([rotation_error(a, b) for a, b in zip(guess, val[2])])
        off = np.mean(np.linalg.norm(shift - val[3], axis=1))
        print(f"EPOCH:: {epoch}, Training Loss: {np.mean(losses):.4f}, "
              f"Rotation Error: {angle:.2f} deg, Translation Error: {off:.4f}")
        if angle < best:
            best = angle
            nets.save(path, net.slots(), {"emb_dims": args.emb_dims, "pooling": args.pooling,
                                          "loss": args.loss, "epoch": epoch})
    print(f"Best Rotation Error: {best:.2f} deg, saved in {path}")


if __name__ == "__main__":
    main(options().parse_args())
