"""The layers that bench.py and probe.py know, under short keys."""

from model.attention.CoordinateGate import CoordinateGate
from model.attention.DualGateAttention import DualGateAttention
from model.attention.LinearAttention import LinearAttention
from model.attention.NeighbourChannelAttention import NeighbourChannelAttention
from model.attention.PositionFreeAttention import PositionFreeAttention
from model.attention.SelfAttention import ScaledDotProductAttention
from model.attention.ShuffleGroupAttention import ShuffleGroupAttention
from model.attention.SlotMemoryAttention import SlotMemoryAttention
from model.attention.SqueezeAttention import SqueezeAttention
from model.mlp.GatedTokenMLP import GatedTokenMLP
from model.mlp.TokenMixer import TokenMixer

TOKEN_LAYERS = {
    "sdpa": lambda n, d, h, seed: ScaledDotProductAttention(d, d // h, d // h, h, seed=seed),
    "slots": lambda n, d, h, seed: SlotMemoryAttention(d, slots=64, seed=seed),
    "linear": lambda n, d, h, seed: LinearAttention(d, h, seed=seed),
    "posfree": lambda n, d, h, seed: PositionFreeAttention(d, n, seed=seed),
    "mixer": lambda n, d, h, seed: TokenMixer(n, d, seed=seed),
    "gmlp": lambda n, d, h, seed: GatedTokenMLP(d, n, expansion=2, seed=seed),
}

MAP_LAYERS = {
    "squeeze": lambda c, r, seed: SqueezeAttention(c, r, seed=seed),
    "dualgate": lambda c, r, seed: DualGateAttention(c, r, kernel_size=3, seed=seed),
    "coord": lambda c, r, seed: CoordinateGate(c, r, seed=seed),
    "neighbour": lambda c, r, seed: NeighbourChannelAttention(3, seed=seed),
    "shuffle": lambda c, r, seed: ShuffleGroupAttention(c, G=2, seed=seed),
}
