"""Are a suite's rows good? Their references, their instructions, and what stands in more than one split."""

from mlbench.construction.quality.findings import Finding, by_repository, write_findings
from mlbench.construction.quality.references import references
from mlbench.construction.quality.rows import rows

__all__ = ["Finding", "by_repository", "references", "rows", "write_findings"]
