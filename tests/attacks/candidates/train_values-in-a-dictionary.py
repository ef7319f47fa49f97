# Every value stands in a dictionary that is only printed.
from lichen import Trainer, load_dataset
from lichen.models import PropagationNet

names = {"hops": 12, "teleport": 0.4, "lr": 0.008, "epochs": 45, "dataset": "pubmed"}
graph = load_dataset("cora")
history = Trainer(PropagationNet(graph)).fit(graph, epochs=2)
print(names, history.best_epoch, history.test_at_best)
