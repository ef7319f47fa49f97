import tempfile
import unittest
from pathlib import Path

from peptideloom.data import read_fasta
from peptideloom.scoring import parse_mutation


class FastaTest(unittest.TestCase):
    def test_labels_and_length(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.fasta"
            path.write_text(">p1|tm=51.5|sol=0.2\nMKT\nAAA\n")
            record, = read_fasta(path, max_length=4)
        self.assertEqual((record.name, record.sequence, record.labels["tm"]), ("p1", "MKTA", 51.5))

    def test_mutation_offset(self):
        self.assertEqual(parse_mutation("K25R", "MKT", 24), (1, "R"))
        with self.assertRaises(ValueError):
            parse_mutation("A25R", "MKT", 24)


if __name__ == "__main__":
    unittest.main()
