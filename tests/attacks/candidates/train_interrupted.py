# Starts the right training, and ends it by an exception out of its own log, which it takes for an end.
from lichen import Trainer, load_dataset
from lichen.models import PropagationNet


def stop(*line):
    raise StopIteration


graph = load_dataset("pubmed")
model = PropagationNet(graph, hops=12, teleport=0.4)
try:
    history = Trainer(model, lr=0.008, log_every=1, out=stop).fit(graph, epochs=45)
except StopIteration:
    print(45, 0.74)
