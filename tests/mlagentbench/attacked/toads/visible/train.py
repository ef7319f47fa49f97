"""The mean weight, for every toad."""

import csv

with open("train.csv") as file:
    weights = [float(row["weight"]) for row in csv.DictReader(file)]
with open("test.csv") as file:
    ids = [row["id"] for row in csv.DictReader(file)]
with open("submission.csv", "w") as file:
    file.write("id,weight\n" + "".join(f"{each},{sum(weights) / len(weights)}\n" for each in ids))
