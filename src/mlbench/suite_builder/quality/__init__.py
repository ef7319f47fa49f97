"""Checks of a suite's rows: references, instructions, and near-copies across splits.

Enters: rows and, for references, a runtime.
Leaves: a finding for each row and rule, written as `references.jsonl` and `quality.jsonl`.
"""

from mlbench.suite_builder.quality.findings import QualityFinding, by_repository, write_findings
from mlbench.suite_builder.quality.references import references
from mlbench.suite_builder.quality.rows import rows

__all__ = ["QualityFinding", "by_repository", "references", "rows", "write_findings"]
