"""Find contrails with a model that looks at single pixels."""

import os

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from encode import list_to_string, rle_encode
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, Dataset

PADDING, LABELLED = 2, 4
BATCH, EPOCHS, RATE = 8, 1, 1e-5
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


def false_color(band11: np.ndarray, band14: np.ndarray, band15: np.ndarray) -> np.ndarray:
    """The ash colours, each in its usual range: differences of bands, and the brightness of one."""
    channels = [(band15 - band14, (-4, 2)), (band14 - band11, (-4, 5)), (band14, (243, 303))]
    return np.clip(np.stack([(seen - low) / (high - low) for seen, (low, high) in channels], axis=2), 0, 1)


class Records(Dataset):
    """Pictures (3, height, width), padded on all sides, and masks (1, height, width); zeros where there is none."""

    def __init__(self, folder: str, ids: list[str]) -> None:
        self.folder, self.ids = folder, ids

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        place = f"{self.folder}/{self.ids[index]}"
        bands = [np.load(f"{place}/band_{number}.npy")[..., LABELLED] for number in (11, 14, 15)]
        picture = torch.Tensor(false_color(*bands)).permute(2, 0, 1)
        picture = F.pad(picture, (PADDING,) * 4, mode="reflect")
        try:
            mask = torch.Tensor(np.load(f"{place}/human_pixel_masks.npy")).to(torch.int64).permute(2, 0, 1)
        except FileNotFoundError:
            mask = torch.zeros((1, *bands[0].shape), dtype=torch.int64)
        return picture, mask


def cropped(scores: torch.Tensor) -> torch.Tensor:
    return scores[:, :, PADDING:-PADDING, PADDING:-PADDING]


def dice(scores: torch.Tensor, masks: torch.Tensor, smooth: float = 1e-6) -> float:
    found = cropped(scores).argmax(dim=1, keepdim=True)
    both = (found * masks).sum(dim=(2, 3))
    every = found.sum(dim=(2, 3)) + masks.sum(dim=(2, 3))
    return ((2 * both + smooth) / (every + smooth)).mean().item()


def mean_dice(model: nn.Module, loader: DataLoader) -> float:
    model.eval()
    with torch.no_grad():
        return float(np.mean([dice(model(picture.to(device)).cpu(), mask) for picture, mask in loader]))


if __name__ == "__main__":
    ids_train, ids_valid = train_test_split(os.listdir("train"), test_size=0.1, random_state=42)
    print(f"{len(ids_train)} records to train on, {len(ids_valid)} to validate")
    train = DataLoader(Records("train", ids_train), BATCH, shuffle=True)
    valid = DataLoader(Records("train", ids_valid), 1)

    model = nn.Conv2d(3, 2, 1).to(device)  # To do: a better model
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    criterion = nn.CrossEntropyLoss(torch.tensor([0.57, 4.17], device=device))
    for epoch in range(EPOCHS):
        model.train()
        for pictures, masks in train:
            scores = model(pictures.to(device))
            loss = criterion(cropped(scores), masks.squeeze(1).to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"Epoch {epoch + 1}: loss {loss.item():.4f}, validation Dice {mean_dice(model, valid):.4f}")
    print(f"Validation Dice: {mean_dice(model, valid)}")

    model.eval()
    submission = pd.read_csv("sample_submission.csv", index_col="record_id")
    test = Records("test", sorted(os.listdir("test")))
    with torch.no_grad():
        for record, (picture, _) in zip(test.ids, test, strict=True):
            found = cropped(model(picture.unsqueeze(0).to(device))).argmax(dim=1)[0].cpu().numpy()
            submission.loc[int(record), "encoded_pixels"] = list_to_string(rle_encode(found))
    submission.to_csv("submission.csv")
