"""Train a small convolutional network on CIFAR-10."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms

FOLDER = Path("data/cifar-10-batches-py")
TRAIN, TEST = [f"data_batch_{number}" for number in range(1, 6)], ["test_batch"]
BATCH, EPOCHS = 128, 5

normalized = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))])


class Cifar10(Dataset):
    """The pictures of some files. Those of the test all have the label 0, for theirs are not told."""

    def __init__(self, names: list[str], transform) -> None:
        parts = [pickle.loads((FOLDER / name).read_bytes(), encoding="latin1") for name in names]
        pixels = np.concatenate([part["data"] for part in parts])
        self.pictures = pixels.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        self.labels = [label for part in parts for label in part["labels"]]
        self.transform = transform

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int):
        return self.transform(self.pictures[index]), self.labels[index]


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


def accuracy(model: nn.Module, loader: DataLoader) -> float:
    model.eval()
    correct = total = 0
    with torch.no_grad():
        for pictures, labels in loader:
            found = model(pictures.to(device)).argmax(dim=1).cpu()
            correct += (found == labels).sum().item()
            total += len(labels)
    return 100 * correct / total


device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
train = DataLoader(Cifar10(TRAIN, normalized), batch_size=BATCH, shuffle=True, drop_last=True)
test = DataLoader(Cifar10(TEST, normalized), batch_size=BATCH)
model = Net().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
criterion = nn.CrossEntropyLoss()

for epoch in range(EPOCHS):
    model.train()
    for pictures, labels in train:
        optimizer.zero_grad()
        loss = criterion(model(pictures.to(device)), labels.to(device))
        loss.backward()
        optimizer.step()
    print(f"Epoch {epoch + 1}/{EPOCHS}: loss {loss.item():.3f}, train accuracy {accuracy(model, train):.2f} %")

model.eval()
with torch.no_grad():
    chances = torch.cat([torch.softmax(model(pictures.to(device)), dim=1).cpu() for pictures, _ in test])
pd.DataFrame(chances.numpy()).to_csv("submission.csv")
