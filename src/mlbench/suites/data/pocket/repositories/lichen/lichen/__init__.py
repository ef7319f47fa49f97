"""lichen: graph learning that grows slowly on sparse matrices."""
from lichen.datasets import DATASETS, load_dataset
from lichen.graph import Graph
from lichen.training import Trainer

__version__ = "0.4.1"
__all__ = ["DATASETS", "Graph", "Trainer", "load_dataset"]
