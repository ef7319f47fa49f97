import tensorflow as tf

tf.app.flags.DEFINE_integer("steps", 10, "how many")
print(tf.app.flags.FLAGS.steps)
