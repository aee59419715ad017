"""One encoder and one WordPiece, for the reader and for the embeddings."""

from __future__ import annotations

import numpy as np

from reachy_mind.models.encoder import WIDTH, Encoder, gelu, softmax
from reachy_mind.models.wordpiece import WordPiece, without_accents

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "nod", "##ding", "twice", "strasse", "cafe", ",", "##s"]


def weights(layers: int = 2) -> dict[str, np.ndarray]:
    chance = np.random.default_rng(0)

    def matrix(*shape: int) -> np.ndarray:
        return (chance.normal(size=shape) * 0.05).astype(np.float32)

    out = {"word.weight": matrix(11, WIDTH), "position.weight": matrix(8, WIDTH), "kind.weight": matrix(2, WIDTH),
           "norm.weight": np.ones(WIDTH, np.float32), "norm.bias": matrix(WIDTH)}  # fmt: skip
    for layer in range(layers):
        for name, shape in (("qkv", (3 * WIDTH, WIDTH)), ("out", (WIDTH, WIDTH)), ("up", (64, WIDTH)),
                            ("down", (WIDTH, 64))):  # fmt: skip
            out |= {f"layers.{layer}.{name}.weight": matrix(*shape), f"layers.{layer}.{name}.bias": matrix(shape[0])}
        for norm in ("norm1", "norm2"):
            out |= {f"layers.{layer}.{norm}.weight": np.ones(WIDTH, np.float32),
                    f"layers.{layer}.{norm}.bias": matrix(WIDTH)}  # fmt: skip
    return out


def test_bytes_with_scales_are_the_same_weights() -> None:
    full = weights()
    quantized: dict[str, np.ndarray] = {}
    for name, array in full.items():
        if array.ndim == 2 and name not in ("position.weight", "kind.weight"):
            scale = np.abs(array).max(1, keepdims=True) / 127
            quantized |= {name: np.round(array / scale).astype(np.int8), f"{name}.scale": scale}
        else:
            quantized[name] = array
    one, other = Encoder(full, 2).states([2, 4, 5, 3]), Encoder(quantized, 2).states([2, 4, 5, 3], [0, 0, 0, 0])
    assert one.shape == (4, WIDTH) and one.dtype == np.float32
    assert np.abs(one - other).max() < 0.05 < np.abs(one).max()


def test_order_and_kind_of_a_piece_count() -> None:
    encoder = Encoder(weights(), 2)
    plain = encoder.states([2, 4, 6, 3])
    assert np.abs(plain - encoder.states([2, 6, 4, 3])).max() > 0.01
    assert np.abs(plain - encoder.states([2, 4, 6, 3], [0, 1, 1, 0])).max() > 0.01
    assert np.array_equal(plain, encoder.states([2, 4, 6, 3], [0, 0, 0, 0]))


def test_arithmetic() -> None:
    x = np.linspace(-4, 4, 9, dtype=np.float32)
    exact = [-0.000126, -0.00405, -0.0455, -0.158655, 0, 0.841345, 1.9545, 2.99595, 3.999874]
    assert np.allclose(gelu(x), exact, atol=2e-6)
    assert np.allclose(softmax(np.zeros((2, 4), np.float32)), 0.25)


def test_words_and_texts_are_cut_alike() -> None:
    pieces = WordPiece(VOCABULARY)
    assert pieces.word("Nodding", 8) == (4, 5) and pieces.word("Nodding", 1) == (4,)
    assert pieces.word("Straße", 8) == (7,) and pieces.word("xyz", 8) == (1,)
    assert pieces.encode("Nodding, cafés twice") == [2, 4, 5, 9, 8, 10, 6, 3]
    assert pieces.encode("nod " * 50, most=6) == [2, 4, 4, 4, 4, 3]
    assert pieces.encode("nod" * 60) == [2, 1, 3]  # no word is that long
    assert without_accents("Ça VA") == "ca va"
