"""Models. Each maps (n, length) to (n, out) and is shared by all channels."""
from nets.closed import AutoReg, Persist
from nets.lindec import LinDec
from nets.mixmlp import MixMLP
from nets.patchlin import PatchLin
from nets.specpick import SpecPick

TRAINED = {"LinDec": LinDec, "MixMLP": MixMLP, "PatchLin": PatchLin, "SpecPick": SpecPick}
CLOSED = {"AutoReg": AutoReg, "Persist": Persist}
NAMES = (*TRAINED, *CLOSED)


def build(name, length, out, rng, *, d_model=16, dropout=0.05, moving_avg=13, patch_len=8,
          stride=4, top_k=3, ar_order=12, ridge=0.1, season=24):
    if name == "LinDec":
        return LinDec(length, out, rng, moving_avg=moving_avg, dropout=dropout)
    if name == "MixMLP":
        return MixMLP(length, out, rng, d_model=d_model, dropout=dropout)
    if name == "PatchLin":
        return PatchLin(length, out, rng, d_model=d_model, dropout=dropout, patch_len=patch_len, stride=stride)
    if name == "SpecPick":
        return SpecPick(length, out, rng, top_k=top_k, dropout=dropout)
    if name == "AutoReg":
        return AutoReg(length, out, order=ar_order, ridge=ridge)
    if name == "Persist":
        return Persist(length, out, season=season)
    raise ValueError(f"unknown model {name!r}; there are {', '.join(NAMES)}")
