"""peptideloom: tiny peptide language models in plain numpy."""

__version__ = "0.4.1"
