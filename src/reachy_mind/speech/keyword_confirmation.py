"""`KeywordReader`: how likely the ears would write a keyword for what its network took for one.

Moonshine's decoder is asked for the probability of certain words, at the beginning or after the few words that it would
write before them. Other words that resemble a keyword to the network are unlikely here by a factor of thousands.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reachy_mind.speech.keyword_network import WINDOW, Floats, session
from reachy_mind.speech.moonshine_tokens import END, SPACE, START, TokenText

DECODER, VOCABULARY = "decoder_model_merged.ort", "tokenizer.bin"
WRITTEN: dict[str, tuple[str, ...]] = {
    "stop": ("Stop", "stop"),
    "quiet": ("Quiet", "quiet", "Be quiet", "Shut up", "shut up", "Silence", "silence"),
    "enough": ("Enough", "enough"),
    "wait": ("Wait", "wait", "Hold on", "hold on", "Hang on", "hang on"),
    "hey_reachy": ("Hey", "hey", "Hay"),
}
"""What stands for each keyword. No ears know the name Reachy."""
MOST_BEFORE = 3
"""Tokens before the keyword."""
UNHEARD = -30.0


class KeywordReader:
    """Raises what onnxruntime raises for damaged files, OSError and ValueError."""

    def __init__(self, folder: Path) -> None:
        self._session = session(folder / DECODER)
        inputs = {each.name: each.shape for each in self._session.get_inputs()}
        self._empty = {
            name: np.zeros((1, shape[1], 0, shape[3]), np.float32)
            for name, shape in inputs.items()
            if name.startswith("past_key_values")
        }
        self._mask = np.ones((1, WINDOW), np.int64)
        self._logits = self._session.get_outputs()[0].name
        pieces = TokenText(folder / VOCABULARY).pieces()
        self._tokens = {name: [_spelt(text, pieces) for text in texts] for name, texts in WRITTEN.items()}

    def log_probability(self, features: Floats, name: str) -> float:
        """Of the words of a keyword in a window that the encoder described like this."""
        before: list[int] = []
        best = UNHEARD
        while True:
            following = self._following(features, before)[-1]
            for tokens in self._tokens[name]:
                likely = float(following[tokens[0]])
                if likely > best and len(tokens) > 1:
                    rest = self._following(features, [*before, *tokens[:-1]])[len(before) + 1 :]
                    likely += sum(float(row[token]) for row, token in zip(rest, tokens[1:], strict=True))
                best = max(best, likely)
            if not before:
                following[END] = -np.inf
            written = int(following.argmax())
            if written == END or len(before) == MOST_BEFORE:
                return best
            before.append(written)

    def _following(self, features: Floats, tokens: Sequence[int]) -> np.ndarray:
        """Log-probabilities of what follows the start, and each of these tokens."""
        feed: dict[str, Any] = {
            "encoder_hidden_states": features[None],
            "encoder_attention_mask": self._mask,
            "input_ids": np.array([[START, *tokens]], np.int64),
            "use_cache_branch": np.array([False]),
        }
        (logits,) = self._session.run([self._logits], feed | self._empty)
        rows = logits[0] - logits[0].max(axis=-1, keepdims=True)
        return np.asarray(rows - np.log(np.exp(rows).sum(axis=-1, keepdims=True)))


def _spelt(text: str, pieces: dict[str, int]) -> list[int]:
    """The tokens of a text, the longest first."""
    rest, found = SPACE + text.replace(" ", SPACE), list[int]()
    while rest:
        length = next(length for length in range(len(rest), 0, -1) if rest[:length] in pieces)
        found.append(pieces[rest[:length]])
        rest = rest[length:]
    return found
