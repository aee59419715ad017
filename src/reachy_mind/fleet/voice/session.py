"""Voice sessions as a device uses them: a `VoiceBackend` opens a `VoiceSession`, sound goes in and events come out.

Sound is 16 kHz, 16 bits little-endian, mono, in both directions. A session has a conversation of its own: nothing of it
reaches another session, and it is forgotten when it ends.

    session = await backend.open(persona, "en")
    await session.send(microphone_block)
    async for event in session.events():
        ...
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from reachy_mind.errors import MindError
from reachy_mind.fleet.protocol.voice_messages import VoiceState

if TYPE_CHECKING:
    from reachy_mind.fleet.device.personas import PersonaTexts


class VoiceRefused(MindError):
    """A session can't be opened here now. `retry_after_s`: when to ask again; 0: not before something was changed."""

    code = "VOICE_REFUSED"

    def __init__(self, message: str, *, hint: str = "", retry_after_s: float = 0.0) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


@dataclass(frozen=True)
class SpeakerSound:
    """To be played after what was given before."""

    pcm: bytes


@dataclass(frozen=True)
class SoundFlushed:
    """The person interrupts: drop what has not been played yet. `VoiceSession.played` counts from 0 again."""


@dataclass(frozen=True)
class StateChanged:
    """listening: it hears whoever speaks; processing: it makes an answer; responding: it says it; idle: it is over."""

    state: VoiceState


@dataclass(frozen=True)
class HeardText:
    """The words of a person's turn."""

    text: str


@dataclass(frozen=True)
class SaidText:
    """Words of the answer, as they are made; their sound follows."""

    text: str


@dataclass(frozen=True)
class SessionEnded:
    """The last event: why the session is over. Another one may be opened."""

    reason: str


VoiceSessionEvent = SpeakerSound | SoundFlushed | StateChanged | HeardText | SaidText | SessionEnded


class VoiceSession(Protocol):
    """An open conversation. Close it with `aclose`, also after it has ended."""

    async def send(self, pcm: bytes) -> None:
        """What the microphone hears, in blocks of 20 to 100 ms. Late or surplus sound is dropped; never waits long.

        Does nothing once the session has ended. Raises InvalidParameter for half a sample."""
        ...

    async def played(self, samples: int) -> None:
        """How many samples the loudspeaker has played since the session began, or since the last `SoundFlushed`.

        Say so every 100 to 250 ms while something plays: the control plane ends a session that seems to play nothing.
        """
        ...

    def events(self) -> AsyncIterator[VoiceSessionEvent]:
        """What happens, for one reader; `SessionEnded` is the last."""
        ...

    async def aclose(self) -> None: ...


class VoiceBackend(Protocol):
    """Where conversations are held."""

    async def open(self, persona: PersonaTexts | None, language: str) -> VoiceSession:
        """Open a session with this personality (None: the usual one). Raises VoiceRefused."""
        ...
