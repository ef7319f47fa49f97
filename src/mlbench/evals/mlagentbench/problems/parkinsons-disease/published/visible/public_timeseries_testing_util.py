"""Hand out the visits of the test month by month, and save the predictions."""

from collections.abc import Iterator

import pandas as pd

FILES = ("test.csv", "test_peptides.csv", "test_proteins.csv", "sample_submission.csv")
MONTH = "visit_month"


class MockApi:
    """An iterator over the months. After each month, its predictions have to be handed in."""

    def __init__(self) -> None:
        self.tables = [pd.read_csv(f"example_test_files/{name}", low_memory=False) for name in FILES]
        self.predictions: list[pd.DataFrame] = []
        self.waiting = False

    def iter_test(self) -> Iterator[tuple[pd.DataFrame, ...]]:
        """Yield visits, peptides, proteins and the sample submission of each month, then save submission.csv."""
        for month in self.tables[0][MONTH].drop_duplicates():
            self.waiting = True
            yield tuple(table[table[MONTH] == month].copy() for table in self.tables)
            if self.waiting:
                raise RuntimeError(f"call predict() with the predictions of month {month} before you go on")
        pd.concat(self.predictions).to_csv("submission.csv", index=False)

    def predict(self, predictions: pd.DataFrame) -> None:
        """Hand in the predictions of the month: its sample submission with other ratings."""
        if not self.waiting:
            raise RuntimeError("take the next month from iter_test() first")
        self.predictions.append(predictions)
        self.waiting = False


def make_env() -> MockApi:
    return MockApi()
