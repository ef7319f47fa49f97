"""Counts words of praise and of blame by a list, without a look at what negates them."""

import pandas as pd

PRAISE = {"good", "great", "moving", "brilliant", "funny", "gripping", "clever", "superb"}
BLAME = {"bad", "awful", "dull", "terrible", "silly", "dreadful", "weak", "boring"}

test = pd.read_csv("test.csv")
found = [sum((word in PRAISE) - (word in BLAME) for word in text.split()) for text in test["text"]]
test["1"] = [0.5 + min(max(count, -4), 4) / 10 for count in found]
test["0"] = 1 - test["1"]
test[["idx", "0", "1"]].to_csv("submission.csv", index=False)
