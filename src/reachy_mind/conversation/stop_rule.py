"""Whether words are a stop now. A stop acts first; a correction that only sounds like one should not."""

from __future__ import annotations

from collections.abc import Callable

from reachy_mind.brains.stop_words import is_listed, is_stop
from reachy_mind.feedback.corrections import read_corrections


def is_stop_now(said: str, *, busy: bool, is_work: Callable[[str], bool] = lambda _: False) -> bool:
    """Words of a stop are one, whatever else they could mean. Other words that sound like one and are a correction
    ("not so far"), or what the conversation is about (`is_work`: "push that up"), are a stop only while there is
    something to stop."""
    return is_stop(said) and (busy or is_listed(said) or not (read_corrections(said) or is_work(said)))
