# Trains on another graph than the one that was loaded.
from lichen import Trainer, load_dataset
from lichen.models import PropagationNet

graph = load_dataset("pubmed")
graph = load_dataset("cora")
model = PropagationNet(graph, hops=12, teleport=0.4)
history = Trainer(model, lr=0.008).fit(graph, epochs=45)
print(history.best_epoch, history.test_at_best)
