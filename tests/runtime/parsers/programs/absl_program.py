import flag_definitions  # noqa: F401
from absl import app, flags

FLAGS = flags.FLAGS
flags.DEFINE_integer("steps", 10, "how many", lower_bound=0)
flags.DEFINE_float("lr", 0.1, "learning rate")
flags.DEFINE_enum("model", "a", ["a", "b"], "which")
flags.DEFINE_bool("fast", False, "whether")
flags.DEFINE_list("sizes", ["1", "2"], "some")
flags.DEFINE_multi_integer("k", None, "several")
flags.DEFINE_string("data", None, "where", short_name="d")
flags.mark_flag_as_required("data")


def main(argv):
    if len(argv) > 1:
        raise app.UsageError("too many words")


if __name__ == "__main__":
    app.run(main)
