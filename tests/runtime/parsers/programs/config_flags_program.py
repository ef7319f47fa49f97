from absl import app, flags
from ml_collections import config_flags

config_flags.DEFINE_config_file("config")
flags.DEFINE_string("workdir", None, "Where results go.")


def main(argv):
    print(flags.FLAGS.config)


if __name__ == "__main__":
    app.run(main)
