import csv
import json
import os

import numpy as np


def write_ppm(path, frame):
    """Plain-text PPM, four times enlarged."""
    big = np.kron(np.round(255 * frame).astype(int), np.ones((4, 4, 1), int))
    with open(path, 'w') as f:
        f.write('P3\n%d %d\n255\n' % (big.shape[1], big.shape[0]))
        np.savetxt(f, big.reshape(big.shape[0], -1), fmt='%d')


def export(kind, folder, rows, fake, first_clip):
    """rows: one dict of measures per clip. fake: (N, T, S, S, 3)."""
    if kind == 'none':
        return None
    os.makedirs(folder, exist_ok=True)
    if kind == 'csv':
        path = os.path.join(folder, 'scores.csv')
        with open(path, 'w', newline='') as f:
            writer = csv.DictWriter(f, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return path
    if kind == 'json':
        path = os.path.join(folder, 'scores.json')
        with open(path, 'w') as f:
            json.dump(rows, f, indent=1)
        return path
    if kind == 'npy':
        path = os.path.join(folder, 'frames.npy')
        np.save(path, fake.astype(np.float32))
        return path
    for n, clip in enumerate(fake):
        write_ppm(os.path.join(folder, 'clip%02d_strip.ppm' % (first_clip + n)), np.concatenate(list(clip), axis=1))
    return folder
