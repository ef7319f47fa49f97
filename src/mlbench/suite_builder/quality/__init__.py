"""Are a suite's rows good? Their references, their instructions, and what stands in more than one split."""

from mlbench.suite_builder.quality.findings import QualityFinding, by_repository, write_findings
from mlbench.suite_builder.quality.references import references
from mlbench.suite_builder.quality.rows import rows

__all__ = ["QualityFinding", "by_repository", "references", "rows", "write_findings"]
