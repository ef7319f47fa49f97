import argparse
import os

import numpy as np

from pointfold.geometry import METHODS, icp, rotation, rotation_error
from pointfold.shapes import SHAPES, sample_shape


def options():
    parser = argparse.ArgumentParser(description="Classical registration of two clouds of one shape")
    parser.add_argument("shape", choices=sorted(SHAPES))
    parser.add_argument("-m", "--method", default="point", choices=METHODS)
    parser.add_argument("-n", "--num_points", default=160, type=int)
    parser.add_argument("--angle", default=20.0, type=float, help="true rotation in degrees")
    parser.add_argument("--shift", default=0.1, type=float, help="true translation along x")
    parser.add_argument("--noise", default=0.0, type=float)
    parser.add_argument("--max_iter", default=30, type=int)
    parser.add_argument("--resample", action="store_true", help="the template gets points of its own")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--seed", type=int, default=3)
    return parser


def main(args):
    rng = np.random.default_rng(args.seed)
    xyz, normals, _ = sample_shape(args.shape, 2 * args.num_points, rng)
    source = xyz[:args.num_points]
    part = slice(args.num_points, None) if args.resample else slice(0, args.num_points)
    r, t = rotation(rng.normal(size=3), args.angle), np.array([args.shift, 0.0, 0.0])
    template = xyz[part] @ r.T + t + rng.normal(size=source.shape) * args.noise
    found = icp(source, template, args.method, args.max_iter, normals=normals[part] @ r.T,
                log=None if args.quiet else print)
    angle, off = rotation_error(found.R, r), float(np.linalg.norm(found.t - t))
    print(f"{args.shape}, {args.method}: {found.iterations} iterations, "
          f"rotation error {angle:.3f} deg, translation error {off:.4f}")
    os.makedirs("results", exist_ok=True)
    with open(f"results/register_{args.shape}.txt", "w", encoding="utf-8") as file:
        np.savetxt(file, np.column_stack([found.R, found.t]), fmt="%.6f")


if __name__ == "__main__":
    main(options().parse_args())
