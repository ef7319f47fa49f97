import tensorflow as tf

tf.flags.DEFINE_string("log_dir", "logs", "where")
tf.flags.DEFINE_integer("steps", 10, "how many")


def main(_):
    assert tf.flags.FLAGS.log_dir is not None


if __name__ == "__main__":
    tf.app.run()
