"""Lantern: a very small library for images and language, in numpy."""

__version__ = "0.3.1"
