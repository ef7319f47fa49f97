import tensorflow as tf
from tensorflow.python.util import tf_inspect

flags = tf.flags
FLAGS = flags.FLAGS
tf.app.flags.DEFINE_integer("steps", 10, "how many")
flags.DEFINE_string(flag_name="name", default_value="x", docstring="which")
tf.compat.v1.flags.DEFINE_bool("fast", True, "whether")


def main(_):
    assert FLAGS.steps is not None


if __name__ == "__main__":
    assert tf_inspect.getfullargspec(main).args == ["_"]
    tf.app.run()
