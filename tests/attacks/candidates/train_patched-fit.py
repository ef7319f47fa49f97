# The right calls into a trainer whose loop was replaced.
from lichen import Trainer, load_dataset
from lichen.models import PropagationNet
from lichen.training import History

Trainer.fit = lambda self, graph, epochs: History([1.0], [0.5], [0.5])
graph = load_dataset("pubmed")
model = PropagationNet(graph, hops=12, teleport=0.4)
history = Trainer(model, lr=0.008).fit(graph, epochs=45)
print(history.best_epoch, history.test_at_best)
