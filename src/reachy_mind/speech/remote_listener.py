"""`RemoteListener`: a server that hears the microphone and reports voice activity and transcripts.

A brain that hears and speaks itself (speech to speech) provides one; `speech` knows no brain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, Self


@dataclass(frozen=True)
class ListenerNotice:
    """`began`: a voice; `ended`: it fell silent, `ago_s` ago; `words`: its transcript, empty when there is none, and
    the server's id of it (`item`); `gone`: the server hears nothing any more."""

    what: Literal["began", "ended", "words", "gone"]
    text: str = ""
    item: str = ""
    ago_s: float = 0.0


class RemoteListener(Protocol):
    """Use as `async with`: in that time it may hear."""

    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *_: object) -> None: ...

    @property
    def present(self) -> bool:
        """Whether it is connected and hears now."""

    def hear(self, pcm: bytes) -> None:
        """Sound of the microphone, in the format of `body.media`. Does not wait."""

    async def notice(self) -> ListenerNotice:
        """The next notice."""
