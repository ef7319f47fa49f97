"""mlbench: can this model, or this agent, use a real machine-learning repository?

Importing this package does nothing and is cheap; the rooms below it are imported when they are needed.
"""

__all__ = ["__version__"]

__version__ = "0.1.0"
