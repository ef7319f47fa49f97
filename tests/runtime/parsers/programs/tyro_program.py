import tyro


def main(width: int = 8) -> None:
    pass


if __name__ == "__main__":
    tyro.cli(main)
