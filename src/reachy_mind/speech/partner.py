"""`Partner`: somebody at the other end of a line who hears what we hear, and says what was said: a server that listens.

Speech knows no brain: whoever thinks gives it one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, Self


@dataclass(frozen=True)
class Notice:
    """`began`: a voice; `ended`: it fell silent, so long ago; `words`: what it said, which the partner calls `item`;
    empty when that could not be made out; `gone`: the partner hears nothing any more."""

    what: Literal["began", "ended", "words", "gone"]
    text: str = ""
    item: str = ""
    ago_s: float = 0.0


class Partner(Protocol):
    """Use as `async with`: in that time it may hear."""

    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *_: object) -> None: ...

    @property
    def present(self) -> bool:
        """Whether it hears now."""

    def hear(self, pcm: bytes) -> None:
        """Sound of the microphone, as `body.media` has it; at once."""

    async def notice(self) -> Notice:
        """What it noticed next."""
