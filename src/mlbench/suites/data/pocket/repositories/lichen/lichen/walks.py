"""Second-order random walks and skip-gram with negative samples."""
import numpy as np


def biased_walks(adjacency, walk_length, per_node, p, q, rng):
    """Walks as rows of node ids. p: return parameter, q: in-out parameter.

    All walkers move at once; a step is drawn by rejection, as in the usual
    trick, so no table of second-order probabilities is needed.
    """
    nodes = adjacency.shape[0]
    indptr, indices = adjacency.indptr, adjacency.indices
    degree = np.diff(indptr)
    row = np.repeat(np.arange(nodes), degree)
    keys = np.sort(row.astype(np.int64) * nodes + indices)
    ceiling = max(1.0, 1.0 / p, 1.0 / q)
    current = np.tile(np.arange(nodes), per_node)
    walks = np.empty((len(current), walk_length), dtype=np.int64)
    walks[:, 0] = current
    previous = None
    for step in range(1, walk_length):
        nxt = current.copy()
        todo = np.flatnonzero(degree[current] > 0)
        for _ in range(40):
            if not len(todo):
                break
            here = current[todo]
            pick = indices[indptr[here] + (rng.random(len(todo)) * degree[here]).astype(np.int64)]
            nxt[todo] = pick
            if previous is None:
                break
            back = previous[todo]
            key = back * nodes + pick
            place = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
            weight = np.where(pick == back, 1.0 / p, np.where(keys[place] == key, 1.0, 1.0 / q))
            todo = todo[rng.random(len(todo)) * ceiling > weight]
        previous, current = current, nxt
        walks[:, step] = current
    return walks


def context_pairs(walks, window):
    centre, context = [], []
    for gap in range(1, window + 1):
        centre += [walks[:, :-gap].ravel(), walks[:, gap:].ravel()]
        context += [walks[:, gap:].ravel(), walks[:, :-gap].ravel()]
    return np.concatenate(centre), np.concatenate(context)


def _sigmoid(x):
    return 1.0 / (1.0 + np.exp(-np.clip(x, -30, 30)))


def _add_rows(table, index, rows):
    """table[index] += rows, with repeated indices."""
    order = np.argsort(index, kind="stable")
    sorted_index = index[order]
    starts = np.flatnonzero(np.r_[True, sorted_index[1:] != sorted_index[:-1]])
    table[sorted_index[starts]] += np.add.reduceat(rows[order], starts, axis=0)


def skip_gram(pairs, nodes, dim, epochs, lr, negatives, rng, batch=2000, max_pairs=24000, out=None):
    """Embedding matrix (nodes by dim) trained by plain stochastic gradient."""
    centre, context = pairs
    table = (rng.random((nodes, dim)) - 0.5) / dim
    other = np.zeros((nodes, dim))
    noise = np.bincount(context, minlength=nodes) ** 0.75
    noise = np.cumsum(noise / noise.sum())
    for epoch in range(1, epochs + 1):
        order = rng.permutation(len(centre))[:max_pairs]
        losses = []
        for start in range(0, len(order), batch):
            chosen = order[start:start + batch]
            c, o = centre[chosen], context[chosen]
            n = np.minimum(np.searchsorted(noise, rng.random((len(c), negatives))), nodes - 1)
            targets = np.concatenate([o[:, None], n], axis=1)
            truth = np.zeros(targets.shape)
            truth[:, 0] = 1.0
            vectors = other[targets]
            score = _sigmoid(np.einsum("bd,bkd->bk", table[c], vectors))
            losses.append(-np.mean(np.log(np.where(truth > 0, score, 1 - score) + 1e-12)))
            error = lr * (truth - score)
            grad_c = np.einsum("bk,bkd->bd", error, vectors)
            grad_o = error[:, :, None] * table[c][:, None, :]
            _add_rows(table, c, grad_c)
            _add_rows(other, targets.ravel(), grad_o.reshape(-1, dim))
        if out:
            out(f"epoch {epoch}: skip-gram loss {np.mean(losses):.4f}")
    return table
