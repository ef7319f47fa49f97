"""The part of the interface check that runs inside the jail, with the standard library only.

In: one question, as JSON. Out: one answer, as JSON, about what a program or a piece of code accepts.
The jail has this folder at /opt/probe, as the package `_mlbench_probe`. Its modules import one another relatively.
"""
