import click


@click.group()
@click.option("--debug", is_flag=True)
def cli(debug):
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
