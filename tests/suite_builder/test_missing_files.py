"""Files of settings that a documented command names and the repository lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.suite_builder.mining.missing_files import missing_file


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        ("python train.py --config configs/a.yaml", ""),
        ("python train.py --config ./configs/A.yaml", "./configs/A.yaml"),  # only configs/a.yaml is there
        ("python train.py --config=configs/deep/b.yaml", "configs/deep/b.yaml"),
        ("python train.py configs/b.yaml", "configs/b.yaml"),
        ("python train.py evaluate --config_path=configs/b.config", "configs/b.config"),
        ("python train.py --data data/b.json", ""),  # the user's
        ("python train.py --data datasets/lvis/b.json", ""),  # too, although the repository has some of the data
        ("python train.py --config configs/b.json", "configs/b.json"),
        ("python train.py --output configs/b.yaml", ""),
        ("python train.py --config config.yaml", ""),
        ("python train.py --config configs/filled.yaml", ""),  # our own value of a placeholder
        ("python train.py --weights configs/b.pth", ""),
    ],
)
def test_a_file_of_settings_must_be_there_if_others_are(tmp_path: Path, command: str, missing: str) -> None:
    """`--config ./configs/Pretrain.yaml` became a task, although the repository has configs/pretrain.yaml."""
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs/a.yaml").write_text("lr: 1\n")
    (tmp_path / "configs/a.config").write_text("")
    (tmp_path / "configs/a.json").write_text("")
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets/names.json").write_text("")
    (tmp_path / "train.py").write_text("")
    assert missing_file(command.split(), tmp_path, ["configs/filled.yaml"]) == missing
