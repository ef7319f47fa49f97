from .config import Config, ConfigError
from .patterns import ascii_art
from .pipeline import Pipeline

__all__ = ["Config", "ConfigError", "Pipeline", "ascii_art"]
