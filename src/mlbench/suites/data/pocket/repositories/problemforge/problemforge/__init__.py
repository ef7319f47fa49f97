"""problemforge: problems, models and hyper-parameter sets that find each other by name."""

from problemforge import registry  # noqa: F401
