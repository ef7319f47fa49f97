import click


@click.command()
@click.argument("source")
@click.option("--lr", type=float, default=0.1)
@click.option("--size", "-n", type=click.IntRange(1, 9), multiple=True)
@click.option("--model", type=click.Choice(["a", "b"]), required=True)
@click.option("--fast/--slow", default=False, envvar="FAST")
@click.version_option("1")
def main(source, lr, size, model, fast):
    if lr < 0:
        raise click.BadParameter("a rate is positive")


if __name__ == "__main__":
    main()
