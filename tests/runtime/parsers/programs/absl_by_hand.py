import sys

from absl import flags

FLAGS = flags.FLAGS
flags.DEFINE_integer("steps", 10, "how many")
flags.DEFINE_string("late", "", "parsed in the second round")
FLAGS(sys.argv[:1])
FLAGS(sys.argv)
