"""Where the numbers come from."""
from feeds.catalog import ANOMALY_SETS, CLASS_SETS, SERIES_SETS, SUBSETS, load_series
from feeds.windows import Scaler, slide, split_rows

__all__ = ["ANOMALY_SETS", "CLASS_SETS", "SERIES_SETS", "SUBSETS", "Scaler",
           "load_series", "slide", "split_rows"]
