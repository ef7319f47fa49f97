import fire


def main(data, lr=0.1, model="a", sizes=(1, 2), *rest, seed=None):
    for _ in range(1000):  # longer than the check goes on after a parse
        pass


if __name__ == "__main__":
    fire.Fire(main)
