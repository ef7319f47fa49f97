"""Analyses of rows and logs beside the figures that the paper publishes (ML-Bench, tables 2, 8, 9, 10, 16, 17)."""
