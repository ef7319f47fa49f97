from fire import Fire


class Trainer:
    def __init__(self, lr=0.1):
        self.lr = lr

    def train(self, steps, width=1):
        return None


class NeedsMore(Trainer):
    def __init__(self, lr=0.1):
        raise OSError("no such device")


def other(**settings):
    return None


if __name__ == "__main__":
    Fire({"trainer": Trainer, "needs-more": NeedsMore, "other": other})
