"""What ears and mouth exchange with whoever thinks: `Heard` goes in, `Say` comes out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Heard:
    """What a person said. Times are monotonic seconds."""

    text: str
    language: str = "en"
    began_at: float = 0.0
    ended_at: float = 0.0
    """When the voice fell silent, not when that was noticed."""
    reply_heard: str | None = None
    """What of the last reply was played before it was cut short; None when it was not."""
    continues: bool = False
    """They went on speaking after the answer had begun: this is all of it, from the start."""
    items: tuple[str, ...] = ()
    """What a partner who heard it calls it; empty when our own ears did."""
    sounded: Mapping[str, float] = field(default_factory=dict)
    """Seconds that were played of the last reply, by `Say.source`."""


@dataclass(frozen=True)
class Say:
    """A piece of the answer, spoken as soon as it makes a sentence; at once when it is known to be `whole`.

    With a `source` it has been spoken elsewhere: `pcm` is sound of it, at `rate`, and `text` what is said in it.
    """

    text: str
    whole: bool = False
    source: str = ""
    pcm: bytes = b""
    rate: int = 0


Respond = Callable[[Heard], AsyncGenerator[Say, None]]
Judge = Callable[[str], Awaitable[float]]
"""How sure one may be that somebody who said this has finished: 0 to 1."""
