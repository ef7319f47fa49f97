"""Vectors of texts from a trained encoder."""

import os

import numpy as np

from quill import data, modeling, tokenization


class Encoder:
    """A trained encoder with its vocabulary.

    encoder = Encoder.from_pretrained("released/nib")
    vectors = encoder.encode(["a calm sea"], pooling="mean", layer=-1)
    """

    def __init__(self, params, config, tokenizer):
        self.params, self.config, self.tokenizer = params, config, tokenizer

    @classmethod
    def from_pretrained(cls, folder, do_lower_case=True):
        """A folder with config.json, vocab.txt and model.json or model.npz."""
        config = modeling.QuillConfig.from_file(os.path.join(folder, "config.json"))
        model = os.path.join(folder, "model.npz")
        if not os.path.exists(model):
            model = os.path.join(folder, "model.json")
        params = modeling.load_checkpoint(model, config)
        return cls(params, config, tokenization.Tokenizer(os.path.join(folder, "vocab.txt"), do_lower_case))

    def layers(self, texts, max_seq_length=32):
        """Outputs of all layers (index 0: the embeddings) and the mask."""
        pairs = [self.tokenizer.encode(t, max_seq_length=max_seq_length) for t in texts]
        ids, segments, mask = data.pad_batch([p[0] for p in pairs], [p[1] for p in pairs])
        outputs, _ = modeling.encode(self.params, self.config, ids, segments, mask)
        return outputs, mask

    def encode(self, texts, pooling="mean", layer=-1, max_seq_length=32, normalize=False):
        """One vector per text: an array of len(texts) rows and hidden_size columns."""
        outputs, mask = self.layers(texts, max_seq_length)
        if not -len(outputs) <= layer < len(outputs):
            raise ValueError(f"layer {layer} of {len(outputs)}")
        vectors, _ = modeling.pool(outputs[layer], mask, pooling)
        if normalize:
            vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def similarity(self, a, b, **kwargs):
        """Cosine of two texts; takes the options of encode()."""
        kwargs["normalize"] = True
        u, v = self.encode([a, b], **kwargs)
        return float(u @ v)
