"""Usage:
  program train DATA [--lr=<x>] [-v | --verbose] [--size N]
  program test DATA
  program (-h | --help)

Options:
  --lr=<x>  rate [default: 0.1].
  --size N  number.
"""

from docopt import docopt

if __name__ == "__main__":
    docopt(__doc__)
