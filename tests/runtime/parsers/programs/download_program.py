import argparse
import urllib.request

parser = argparse.ArgumentParser()
parser.add_argument("--path")
options = parser.parse_args()


class Bar:
    bar = None

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        self.bar.close()


with Bar():
    urllib.request.urlopen("http://127.0.0.1:9/data.zip")
