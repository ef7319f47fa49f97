"""A message-passing regressor on molecular graphs, with gradients by hand."""
import numpy as np

ELEMENTS = ("C", "N", "O", "F", "S", "Cl", "Br")
VALENCE = {"C": 4, "N": 3, "O": 2, "F": 1, "S": 2, "Cl": 1, "Br": 1}
AGGREGATIONS = ("sum", "mean", "sqrt", "norm")


def parse_smiles(smiles):
    """(atoms, bonds) of a simple SMILES: organic subset, branches, one-digit rings, = and #."""
    atoms, bonds, stack, rings = [], [], [], {}
    previous, order, i = None, None, 0
    while i < len(smiles):
        symbol = smiles[i]
        if smiles[i:i + 2] in ("Cl", "Br"):
            symbol = smiles[i:i + 2]
        if symbol in ELEMENTS or symbol in "cnos":
            atoms.append((symbol.capitalize(), symbol.islower()))
            if previous is not None:
                aromatic = symbol.islower() and atoms[previous][1]
                bonds.append((previous, len(atoms) - 1, order or (1.5 if aromatic else 1)))
            previous, order = len(atoms) - 1, None
        elif symbol in "=#":
            order = {"=": 2, "#": 3}[symbol]
        elif symbol == "(":
            stack.append(previous)
        elif symbol == ")":
            previous = stack.pop()
        elif symbol.isdigit():
            if symbol in rings:
                start = rings.pop(symbol)
                aromatic = atoms[start][1] and atoms[previous][1]
                bonds.append((start, previous, order or (1.5 if aromatic else 1)))
                order = None
            else:
                rings[symbol] = previous
        else:
            raise ValueError(f"cannot read {symbol!r} in {smiles!r}")
        i += len(symbol)
    if stack or rings or not atoms:
        raise ValueError(f"unfinished SMILES: {smiles!r}")
    return atoms, bonds


def featurize(molecules):
    """Padded atom features (n, atoms, features), adjacency weighted by bond order, atom mask."""
    parsed = [parse_smiles(smiles) for smiles in molecules]
    size = max(len(atoms) for atoms, _ in parsed)
    x = np.zeros((len(parsed), size, len(ELEMENTS) + 3))
    a, mask = np.zeros((len(parsed), size, size)), np.zeros((len(parsed), size, 1))
    for m, (atoms, bonds) in enumerate(parsed):
        used = np.zeros(len(atoms))
        for i, j, order in bonds:
            a[m, i, j] = a[m, j, i] = order / 2
            used[i] += order
            used[j] += order
        for i, (element, aromatic) in enumerate(atoms):
            x[m, i, ELEMENTS.index(element)] = 1
            x[m, i, -3:] = aromatic, max(0, VALENCE[element] - used[i]) / 4, 1
        mask[m, :len(atoms)] = 1
    return x, a, mask


class MolGraph:
    def __init__(self, features, hidden, depth, ffn, aggregation, seed=0):
        rng = np.random.default_rng(seed)
        self.depth, self.aggregation = depth, aggregation
        sizes = [hidden, *ffn, 1]
        self.parameters = {"input": rng.normal(size=(features, hidden)) / np.sqrt(features),
                           "message": rng.normal(size=(hidden, hidden)) * 0.5 / np.sqrt(hidden)}
        for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
            self.parameters[f"w{i}"] = rng.normal(size=(a, b)) * np.sqrt(2 / a)
            self.parameters[f"b{i}"] = np.zeros(b)
        self.layers = len(sizes) - 1

    def _scale(self, mask):
        if self.aggregation == "sum":
            return mask
        count = mask.sum(1, keepdims=True)
        return mask / {"mean": count, "sqrt": np.sqrt(count), "norm": 10.0}[self.aggregation]

    def forward(self, x, a, mask):
        p = self.parameters
        h0 = x @ p["input"]
        h, trail = np.maximum(h0, 0), []
        for _ in range(self.depth):
            message = a @ h
            z = h0 + message @ p["message"]
            trail.append((message, z))
            h = np.maximum(z, 0)
        pooled = (h * self._scale(mask)).sum(1)
        activations = [pooled]
        for i in range(self.layers):
            y = activations[-1] @ p[f"w{i}"] + p[f"b{i}"]
            activations.append(np.maximum(y, 0) if i < self.layers - 1 else y)
        return activations[-1][:, 0], (h0, trail, activations)

    def gradients(self, x, a, mask, target):
        p = self.parameters
        out, (h0, trail, activations) = self.forward(x, a, mask)
        error = (out - target) / len(target)
        grads, d = {}, error[:, None]
        for i in reversed(range(self.layers)):
            grads[f"w{i}"], grads[f"b{i}"] = activations[i].T @ d, d.sum(0)
            d = d @ p[f"w{i}"].T
            if i:
                d = d * (activations[i] > 0)
        dh = d[:, None] * self._scale(mask)
        d0, grads["message"] = np.zeros_like(h0), np.zeros_like(p["message"])
        for message, z in reversed(trail):
            dz = dh * (z > 0)
            d0 += dz
            flat = dz.reshape(-1, dz.shape[-1])
            grads["message"] += message.reshape(flat.shape).T @ flat
            dh = a @ (dz @ p["message"].T)
        d0 += dh * (h0 > 0)
        grads["input"] = x.reshape(-1, x.shape[-1]).T @ d0.reshape(-1, d0.shape[-1])
        return float(((out - target) ** 2).mean()), grads
