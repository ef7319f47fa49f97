from lantern.datasets.scenes import QUESTIONS, build_dataset

__all__ = ["QUESTIONS", "build_dataset"]
