"""Fine-tune DistilBERT on IMDb."""

import os

os.environ.setdefault("HF_HOME", "/tmp/huggingface")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import pandas as pd
import torch
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer

NAME, BATCH, EPOCHS, LONGEST = "distilbert-base-uncased", 16, 2, 256

torch.manual_seed(0)
imdb = load_dataset("imdb")
tokenizer = AutoTokenizer.from_pretrained(NAME)
model = AutoModelForSequenceClassification.from_pretrained(NAME, num_labels=2)


def inputs(texts: list[str]) -> dict[str, torch.Tensor]:
    found = tokenizer(texts, truncation=True, max_length=LONGEST, padding=True, return_tensors="pt")
    return {"input_ids": found["input_ids"], "attention_mask": found["attention_mask"]}


optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
model.train()
for epoch in range(EPOCHS):
    for batch in DataLoader(imdb["train"], batch_size=BATCH, shuffle=True):
        loss = model(**inputs(batch["text"]), labels=batch["label"]).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"Epoch {epoch + 1}: loss {loss.item():.3f}")
model.eval()
with torch.no_grad():
    chances = [torch.softmax(model(**inputs(batch["text"])).logits, dim=1) for batch in DataLoader(imdb["test"], BATCH)]
pd.DataFrame(torch.cat(chances).numpy()).to_csv("submission.csv", index_label="idx")
