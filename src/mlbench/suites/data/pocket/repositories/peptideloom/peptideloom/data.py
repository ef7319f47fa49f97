"""Readers of the small text formats that the tools take."""
import csv
from dataclasses import dataclass, field


@dataclass
class Record:
    name: str
    sequence: str
    labels: dict = field(default_factory=dict)


def read_fasta(path, max_length=None):
    """Records of a FASTA file. The header is `>name|key=value|key=value`."""
    records, name, labels, parts = [], None, {}, []

    def close():
        if name is not None:
            sequence = "".join(parts)
            if not sequence:
                raise ValueError(f"{path}: record {name!r} has no sequence")
            records.append(Record(name, sequence[:max_length], labels))

    with open(path, encoding="utf-8") as handle:
        for line in handle:
            line = line.strip()
            if line.startswith(">"):
                close()
                name, *pairs = line[1:].split("|")
                labels = {key: float(value) for key, value in (pair.split("=") for pair in pairs)}
                parts = []
            elif line:
                if name is None:
                    raise ValueError(f"{path}: not a FASTA file")
                parts.append(line)
    close()
    if not records:
        raise ValueError(f"{path}: no sequences")
    return records


def read_dms(path):
    """(wild type, offset, [(mutation, measured effect)]) of a mutational scan."""
    wild_type, offset, variants = None, 1, []
    with open(path, encoding="utf-8") as handle:
        for line in handle:
            line = line.strip()
            if line.startswith("#"):
                key, _, value = line[1:].partition(":")
                if key.strip() == "wild_type":
                    wild_type = value.strip()
                elif key.strip() == "offset":
                    offset = int(value)
            elif line and not line.startswith("mutation"):
                mutation, effect = line.split(",")
                variants.append((mutation, float(effect)))
    if wild_type is None or not variants:
        raise ValueError(f"{path}: not a mutational scan (no wild_type or no variants)")
    return wild_type, offset, variants


def read_molecules(path, target):
    with open(path, encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    if not rows or "smiles" not in rows[0]:
        raise ValueError(f"{path}: no column 'smiles'")
    if target not in rows[0]:
        raise ValueError(f"{path}: no column {target!r}")
    return [row["smiles"] for row in rows], [float(row[target]) for row in rows]
