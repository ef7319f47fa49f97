from absl import flags

flags.DEFINE_float("momentum", 0.9, "defined in a module that the program imports")
