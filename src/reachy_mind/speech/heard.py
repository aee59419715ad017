"""What the speech pipeline exchanges with the conversation: `Heard` goes in, `Say` comes out."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from reachy_mind.speech.transcriber import Alternative


@dataclass(frozen=True)
class Heard:
    """A person's turn. Times are monotonic seconds."""

    text: str
    language: str = "en"
    began_at: float = 0.0
    ended_at: float = 0.0
    """When the voice fell silent, not when that was detected."""
    reply_heard: str | None = None
    """What of the last reply was played before it was interrupted; None when it was not."""
    direction: float | None = None
    """Where the voice came from: radians from straight ahead of the robot's foot, left positive; None: not known."""
    continues: bool = False
    """The person went on speaking after the answer had begun: `text` is all of it, from the start."""
    items: tuple[str, ...] = ()
    """The ids that a remote listener gave to it; empty when the local speech to text heard it."""
    confidence: float | None = None
    """How sure the ears are of the text, 0 to 1; None where that is not known."""
    alternatives: tuple[Alternative, ...] = ()
    """What else it may have been, with the text, the likeliest first."""
    sounded: Mapping[str, float] = field(default_factory=dict)
    """Seconds of the last reply that were played, by `Say.source`."""
    released: asyncio.Event | None = None
    """Until it is set the person may still go on: nothing may be done yet, and nothing is heard. None: do it."""


@dataclass(frozen=True)
class Say:
    """A piece of the answer. It is spoken as soon as it makes a sentence; at once when it is `whole`.

    With a `source` a server has spoken it: `pcm` is its sound at `rate`, and `text` the words in it.
    """

    text: str
    whole: bool = False
    mood: str = ""
    """What to say it in: a name of `speech.moods`."""
    source: str = ""
    pcm: bytes = b""
    rate: int = 0
    passed: asyncio.Event | None = None
    """Set when all that was said before was handed to the loudspeaker; for a piece without words."""
