import unittest

import numpy as np

from feeds import SERIES_SETS, load_series, slide, split_rows


class Feeds(unittest.TestCase):
    def test_same_numbers_each_time(self):
        for name in SERIES_SETS:
            np.testing.assert_array_equal(load_series(name).values, load_series(name).values)

    def test_unknown_name(self):
        with self.assertRaises(ValueError):
            load_series("tidal_h9")

    def test_windows(self):
        windows = slide(np.arange(20.0).reshape(10, 2), 4, 3)
        self.assertEqual(windows.shape, (3, 2, 4))
        self.assertEqual(windows[1, 0].tolist(), [6.0, 8.0, 10.0, 12.0])

    def test_split_reaches_back(self):
        self.assertEqual(split_rows(100, 5), ((0, 70), (65, 80), (75, 100)))


if __name__ == "__main__":
    unittest.main()
