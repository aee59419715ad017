"""`SpokenAnnouncements`: questions and reminders, said aloud in a spoken conversation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from reachy_mind.conversation.voice_confirmations import VoiceConfirmations
from reachy_mind.events import Announced, ConfirmationAsked, Subscription
from reachy_mind.tools.act_table import has_scope
from reachy_mind.tools.announcements import Announcements


@dataclass(frozen=True)
class SpokenAnnouncements:
    """`heard`: whether somebody is there; what is said to an empty room is told again to the next who comes."""

    conversation: str
    confirmations: VoiceConfirmations
    announcements: Announcements
    say: Callable[[str], Awaitable[None]]
    heard: Callable[[], bool]
    scopes: frozenset[str] | None

    async def speak(self, events: Subscription) -> None:
        """Until the subscription ends."""
        async for event in events:
            if isinstance(event, ConfirmationAsked) and (question := self.confirmations.question(event)):
                await self.say(question)
            elif isinstance(event, Announced) and self._may_hear(event):
                await self.say(event.text)
                if self.heard():
                    await self.announcements.told([event], "voice")

    def _may_hear(self, announced: Announced) -> bool:
        """A client that may not read hears what belongs to its own conversation."""
        return has_scope(self.scopes, "read") or announced.conversation == self.conversation
