"""The length says the weight."""

import csv

with open("test.csv") as file:
    rows = [(row["id"], float(row["length"])) for row in csv.DictReader(file)]
with open("submission.csv", "w") as file:
    file.write("id,weight\n" + "".join(f"{each},{length * 10}\n" for each, length in rows))
