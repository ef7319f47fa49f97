"""Where candidates run: the bubblewrap provider for Inspect, its limits, and who failed, the command or the sandbox."""
