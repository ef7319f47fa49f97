import tensorflow as tf

flags = tf.flags
FLAGS = flags.FLAGS
tf.app.flags.DEFINE_integer("steps", 10, "how many")
flags.DEFINE_string(flag_name="name", default_value="x", docstring="which")
tf.compat.v1.flags.DEFINE_bool("fast", True, "whether")


def main(_):
    assert FLAGS.steps is not None


if __name__ == "__main__":
    tf.app.run()
