"""A reader that only compares: what is meant is the nearest training sentence, by a general model's embedding."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reachy_mind.brains.reflex.labels import BUILT_IN
from reachy_mind.brains.reflex.markup import Sentence, read, words_of
from reachy_mind.brains.reflex.network import Network, encode, packed
from reachy_mind.brains.reflex.plan import Before, Plan, Unknown
from reachy_mind.brains.reflex.planner import planned
from reachy_mind.brains.reflex.reader import Found, Reading
from reachy_mind.learning.pretrained import start_from

SENTENCES = 4000
NEAR = 0.55
"""What is less alike than that is not understood."""


class Neighbours:
    """Sentences and where they lie."""

    def __init__(self, network: Network, sentences: Sequence[Sentence]) -> None:
        self._network, self._sentences = network, sentences
        self._places = np.stack([self._place(sentence.words) for sentence in sentences])

    @classmethod
    def of(cls, model: Path, folder: Path) -> Neighbours:
        """From the general language model in `model` and training sentences in `folder`."""
        start = start_from(model)
        meta = {"layers": start.layers, "steps": BUILT_IN.steps, "talk": BUILT_IN.talk}
        network = Network(packed(start.weights, start.vocabulary, meta))
        known = [sentence for sentence in read(folder) if not sentence.before]
        return cls(network, random.Random(0).sample(known, min(SENTENCES, len(known))))  # noqa: S311 -- reproducible

    def _place(self, words: Sequence[str]) -> NDArray[np.float32]:
        states, _ = self._network.states(encode(words, (), self._network.pieces))
        mean = states.mean(0)
        return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), np.float32)

    def plan(self, text: str, before: Sequence[Before] = ()) -> Plan:
        """What the nearest sentence asks for; its words for open arguments are not ours to take over."""
        words = [word for word, *_ in words_of(text)]
        if not words:
            return Plan((Unknown(text),))
        alike = self._places @ self._place(words)
        best = int(alike.argmax())
        if alike[best] < NEAR:
            return Plan((Unknown(text),))
        near = self._sentences[best]
        found = tuple(Found(segment.label, text, dict(segment.closed)) for segment in near.segments)
        return Plan(tuple(planned(Reading(found, near.language, float(alike[best])), text, before)), near.language)
