"""Modules that are mounted beside a problem's data scripts."""
