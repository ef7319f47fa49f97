"""quillpress: masked pre-training for very small text encoders."""

__version__ = "0.4.1"
