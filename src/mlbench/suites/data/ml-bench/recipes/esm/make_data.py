"""Write narrow ESM-1 and ESM-2 weights where torch hub looks, and a short list of variants.

python make_data.py CHECKOUT TARGET

The weights are random. Depth and format are those of the published files, the width is not.
"""

import itertools
import sys
from argparse import Namespace
from pathlib import Path

import esm
import torch
from esm.model.esm1 import ProteinBertModel
from esm.model.esm2 import ESM2

WIDTH, HEADS = 32, 4
VARIANTS = 8
ESM2_LAYERS = {"esm2_t33_650M_UR50D": 33, "esm2_t36_3B_UR50D": 36, "esm2_t30_150M_UR50D": 30}
ESM1V = [f"esm1v_t33_650M_UR90S_{member}" for member in range(1, 6)]
FASTA = "examples/data/P62593.fasta"


def main(checkout: Path, target: Path) -> None:
    """Write all weights and the shortened file of variants."""
    folder = target / "home" / ".cache" / "torch" / "hub" / "checkpoints"
    folder.mkdir(parents=True)
    for number, name in enumerate((*ESM2_LAYERS, "esm1b_t33_650M_UR50S", *ESM1V)):
        torch.manual_seed(number)
        model, described = esm2(ESM2_LAYERS[name]) if name in ESM2_LAYERS else esm1()
        state = model.state_dict()
        head = {key: state.pop(key) for key in list(state) if key.startswith("contact_head.regression")}
        torch.save(
            {"model": {long_name(key): value for key, value in state.items()}, **described}, folder / f"{name}.pt"
        )
        if name not in ESM1V:
            torch.save({"model": head}, folder / f"{name}-contact-regression.pt")
    lines = (checkout / FASTA).read_text().splitlines(keepends=True)
    heads = itertools.accumulate(line.startswith(">") for line in lines)
    (target / FASTA).parent.mkdir(parents=True)
    (target / FASTA).write_text("".join(line for line, head in zip(lines, heads, strict=True) if head <= VARIANTS))


def esm2(layers: int) -> tuple[torch.nn.Module, dict]:
    """Return an ESM-2 model and its description in a checkpoint."""
    settings = {"encoder_layers": layers, "encoder_embed_dim": WIDTH, "encoder_attention_heads": HEADS}
    model = ESM2(num_layers=layers, embed_dim=WIDTH, attention_heads=HEADS)
    return model, {"cfg": {"model": Namespace(**settings, token_dropout=True)}}


def esm1() -> tuple[torch.nn.Module, dict]:
    """Return an ESM-1b or ESM-1v model and its description in a checkpoint."""
    settings = {"layers": 33, "embed_dim": WIDTH, "ffn_embed_dim": 4 * WIDTH, "attention_heads": HEADS}
    alphabet = esm.data.Alphabet.from_architecture("roberta_large")
    common = {"arch": "roberta_large", "max_positions": 1024, "token_dropout": True}
    model = ProteinBertModel(Namespace(**settings, **common, emb_layer_norm_before=True), alphabet)
    return model, {"args": Namespace(**{f"encoder_{key}": value for key, value in settings.items()}, **common)}


def long_name(key: str) -> str:
    """Return the name of a parameter in the published checkpoints."""
    return f"encoder.{key}" if key.startswith("lm_head") else f"encoder.sentence_encoder.{key}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
