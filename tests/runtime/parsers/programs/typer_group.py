import typer

app = typer.Typer()
data = typer.Typer()
app.add_typer(data, name="data")


@app.command()
def train(lr: float = 0.1, size: list[int] = [1]):  # noqa: B006
    pass


@app.command()
def test(size: int = typer.Option(...)):
    pass


@data.command()
def get(path: str):
    pass


if __name__ == "__main__":
    app()
