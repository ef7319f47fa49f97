import click


@click.group(chain=True)
def cli():
    pass


@cli.command()
@click.option("--lr", type=float, default=0.1)
def train(lr):
    pass


@cli.command()
def test():
    pass


if __name__ == "__main__":
    cli()
