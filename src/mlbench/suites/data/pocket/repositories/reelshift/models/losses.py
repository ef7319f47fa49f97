import numpy as np


def penalty(kind, d, knee):
    """Mean loss of the differences d, and its gradient with respect to d."""
    n = d.size
    if kind == 'l1':
        return np.abs(d).mean(), np.sign(d) / n
    if kind == 'l2':
        return (d * d).mean(), 2 * d / n
    if kind == 'huber':
        a = np.abs(d)
        inner = a <= knee
        return np.where(inner, d * d / (2 * knee), a - knee / 2).mean(), np.where(inner, d / knee, np.sign(d)) / n
    if kind == 'charbonnier':
        s = np.sqrt(d * d + knee * knee)
        return (s - knee).mean(), d / s / n
    if kind == 'logcosh':
        a = np.abs(d) / knee
        return (knee * (a + np.log1p(np.exp(-2 * a)) - np.log(2))).mean(), np.tanh(d / knee) / n
    raise ValueError('unknown penalty %r' % kind)
