"""`FeedbackReader`: what some words say about what the robot did, from all that can read them, in order of authority.

    stop               a hard rule: listed words and signs of a stop act whatever a model thinks
    explicit rating    "8 out of 10", a thumb, an emoji (`ratings`)
    reward model       the distribution over rewards (`reward`), with the correction that the words name

`judge` asks a language model in place of the reward model, where one is configured.
"""

from __future__ import annotations

from pathlib import Path

from reachy_mind.brains.stop_words import LONGEST_TEXT, is_listed, stop_score
from reachy_mind.brains.word_lists import spaced
from reachy_mind.feedback.corrections import read_correction
from reachy_mind.feedback.ratings import STOP_PICTURES, read_rating
from reachy_mind.feedback.readings import FeedbackReading
from reachy_mind.feedback.reward import WEIGHTS, RewardModel

RATED = 0.95
"""The confidence of an explicit rating."""
LIKELY_STOP, ALONE = -0.5, 1.0
"""Log odds from which on words that no rule knows are a stop: of the model and the classifier together, and of the
model alone. Found on held-out families: lower invents stops, higher misses them."""
MOST_ODDS = 6.0
"""The classifier is never surer than that: it was not made for feedback."""
_PAUSES = frozenset(
    spaced("wait hold on a second moment minute sec bit just please attends une seconde espera un momento warte kurz")
)
"""Words that pause. Alone they ask for time and reject nothing that was done."""


class FeedbackReader:
    """Reads feedback. Safe to use from a thread."""

    def __init__(self, model: RewardModel) -> None:
        self._model = model

    @classmethod
    def load(cls, own: Path | None = None) -> FeedbackReader:
        """With the weights that `learn reward` wrote, if there are any, else the shipped ones. Raises WeightsError."""
        return cls(RewardModel.load(own if own is not None and own.exists() else WEIGHTS))

    def read(self, text: str) -> FeedbackReading:
        """What a text says. It takes milliseconds: call it in a thread."""
        correction = read_correction(text)
        rating = read_rating(text)
        if rating is not None and not STOP_PICTURES.intersection(text):
            return FeedbackReading(rating, RATED, correction=correction, source="rating")
        estimate = self._model.estimate(text, corrects=correction is not None)
        if is_certain_stop(text) or _is_likely_stop(text, estimate.stop):
            return FeedbackReading(
                -1.0, max(RATED, estimate.confidence), stop=True, correction=correction, source="stop"
            )
        return FeedbackReading(estimate.reward, estimate.confidence, correction=correction)


def is_certain_stop(text: str) -> bool:
    """Whether the words are a stop by rule: nothing but listed phrases, or a sign that means it."""
    return bool(STOP_PICTURES.intersection(text)) or (
        len(text) <= LONGEST_TEXT and is_listed(text) and not _is_pause(text)
    )


def _is_likely_stop(text: str, odds: float) -> bool:
    score = stop_score(text) if len(text) <= LONGEST_TEXT else None
    if score is None:
        return odds > ALONE
    return odds + max(-MOST_ODDS, min(MOST_ODDS, score)) > LIKELY_STOP and not _is_pause(text)


def _is_pause(text: str) -> bool:
    words = "".join(c if c.isalpha() else " " for c in text.lower()).split()
    return bool(words) and all(word in _PAUSES for word in words)
