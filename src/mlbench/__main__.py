"""`python -m mlbench`: the command line."""

from mlbench.cli import main

if __name__ == "__main__":
    main()
