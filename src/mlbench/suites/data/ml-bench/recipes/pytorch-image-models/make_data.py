"""Write training checkpoints of a tiny network, as train.py leaves them, for the programs that clean or average them.

python make_data.py CHECKOUT TARGET
"""

import sys
from pathlib import Path

import torch

RUNS = ("output/train/effnet_es", "output/train/run7", "checkpoints/long")
SINGLE = (
    *("output/train/model_best.pth.tar", "output/train/last.pth.tar"),
    *("runs/resnet/checkpoint-120.pth.tar", "runs/vit/checkpoint-299.pth.tar"),
)
FOLDERS = ("release", "clean", "upload")
EPOCHS = 14  # more than any row averages


def main(target: Path) -> None:
    """Write the checkpoints, and the folders for the cleaned ones."""
    torch.manual_seed(0)
    for run in RUNS:
        for epoch in range(EPOCHS):
            save(target / run / f"checkpoint-{epoch}.pth.tar", epoch)
        for number, name in enumerate(("model_best.pth.tar", "last.pth.tar")):
            save(target / run / name, EPOCHS + number)
        for epoch in range(EPOCHS):
            save(target / run / f"epoch_{epoch}.pth", epoch)
    for name in SINGLE:
        save(target / name, EPOCHS)
    for name in FOLDERS:
        (target / name).mkdir()
        (target / name / ".keep").touch()


def save(file: Path, epoch: int) -> None:
    """Write one checkpoint with weights, averaged weights and the metric of an epoch."""
    file.parent.mkdir(parents=True, exist_ok=True)
    checkpoint = {"epoch": epoch, "arch": "tiny", "version": 2, "metric": float(torch.rand(()) * 80)}
    torch.save({**checkpoint, "state_dict": weights(), "state_dict_ema": weights()}, file)


def weights() -> dict[str, torch.Tensor]:
    """Return weights of a convolution, a split batch norm and a classifier, as distributed training names them."""
    names = {"conv.weight": (4, 3, 3, 3), "bn1.weight": (4,), "bn1.aux_bn.0.weight": (4,), "fc.weight": (5, 4)}
    return {f"module.{name}": torch.randn(shape) for name, shape in names.items()}


if __name__ == "__main__":
    main(Path(sys.argv[2]))
