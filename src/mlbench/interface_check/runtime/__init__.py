"""What runs inside the jail: it says what a program or a piece of code accepts. Standard library only.

Inside, this folder stands at /opt/probe and is loaded as the package `_mlbench_probe`, a name that no repository has:
its modules import one another relatively.
"""
