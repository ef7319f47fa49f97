import numpy as np


class Scaler:
    def fit(self, values):
        self.mean = values.mean(axis=0)
        self.std = values.std(axis=0) + 1e-8
        return self

    def __call__(self, values):
        return (values - self.mean) / self.std


def split_rows(rows, seq_len):
    """70 / 10 / 20 in time; validation and test reach back by one input window."""
    train, test = int(rows * 0.7), int(rows * 0.2)
    val = rows - train - test
    return (0, train), (train - seq_len, train + val), (rows - test - seq_len, rows)


def slide(values, length, step=1):
    """(windows, channels, length)"""
    if len(values) < length:
        raise ValueError(f"{len(values)} rows are too few for windows of {length}")
    view = np.lib.stride_tricks.sliding_window_view(values, length, axis=0)
    return view[::step]
