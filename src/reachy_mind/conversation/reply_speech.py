"""`ReplySpeech`: what to say aloud for the events of a turn, with an acknowledgement ("okay") when it takes time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress

from reachy_mind.brains.brain import Called, Said, Voiced
from reachy_mind.conversation.events import TurnEvent
from reachy_mind.conversation.response import Response
from reachy_mind.errors import InvalidParameter
from reachy_mind.events import TurnPhase
from reachy_mind.motion.library.emotion_names import resolve_name
from reachy_mind.speech.heard import Say
from reachy_mind.speech.moods import MOOD_OF_EMOTION, NEUTRAL
from reachy_mind.speech.phrases import acknowledgements
from reachy_mind.tools.registry import Registry

ACKNOWLEDGE_AFTER_S = 0.08
"""A turn that acts and has no words after this time is acknowledged."""
UNACKNOWLEDGED = frozenset({"speak", "stop", "do_nothing"})
"""Tools that are heard or seen at once, or should not be."""


class ReplySpeech:
    """`phase` is that of the turns. `at_robot`: the person hears what tools say aloud too. `moods`: what follows an
    emotion that the robot shows is said in a mood like it."""

    def __init__(
        self, language: str, registry: Registry, phase: Callable[[], TurnPhase], *, at_robot: bool, moods: bool = True
    ) -> None:
        self._language, self._registry, self._phase, self._at_robot = language, registry, phase, at_robot
        self._moods = moods
        self._acknowledged = 0

    async def spoken(
        self, events: AsyncGenerator[TurnEvent, None], *, acknowledge: bool
    ) -> AsyncGenerator[Say | Response, None]:
        """What to say, piece by piece, and the response last. The caller closes `events`.

        `acknowledge`: no, where a server speaks the reply itself: another voice must not say "okay".
        """
        following = asyncio.ensure_future(anext(events, None))
        spoken_by_tool = mood = ""
        try:
            done, _ = await asyncio.wait([following], timeout=ACKNOWLEDGE_AFTER_S)
            if not done and acknowledge and self._phase() == "acting":
                acknowledge = False
                yield self._acknowledgement()
            while (event := await following) is not None:
                match event:
                    case Called():
                        mood = shown_mood(event) or mood if self._moods else ""
                        spoken_by_tool = _spoken_text(event) if self._at_robot else ""
                        if acknowledge and self._changed_something(event):
                            acknowledge = False
                            yield self._acknowledgement()
                    case Said(text) if text and text.strip() != spoken_by_tool:
                        acknowledge = False
                        yield Say(text, source=event.item, mood=mood)
                    case Voiced():
                        acknowledge = False
                        yield Say("", source=event.item, pcm=event.pcm, rate=event.rate)
                    case Response():
                        yield event
                following = asyncio.ensure_future(anext(events, None))
        finally:
            if not following.done():
                following.cancel()
                await asyncio.wait([following])

    def _changed_something(self, called: Called) -> bool:
        """Whether there is something to say "okay" to, which is heard sooner than a sentence about it."""
        call = called.call
        if call.outcome.status not in ("ok", "started") or call.name in UNACKNOWLEDGED:
            return False
        tool, _ = self._registry.find(call.name)
        return not tool.read_only

    def _acknowledgement(self) -> Say:
        phrases = acknowledgements(self._language)
        self._acknowledged += 1
        return Say(phrases[self._acknowledged % len(phrases)] + " ", whole=True)


def shown_mood(called: Called) -> str:
    """The mood that goes with an emotion that the robot shows; empty for any other call."""
    call = called.call
    if call.name != "express_emotion" or call.outcome.status not in ("ok", "started"):
        return ""
    with suppress(InvalidParameter):
        emotion = resolve_name(str(call.args.get("emotion", "")), MOOD_OF_EMOTION)
        return MOOD_OF_EMOTION[emotion]
    return NEUTRAL.name


def _spoken_text(called: Called) -> str:
    """What a brain would say about a text that a tool has just spoken: the person heard it already."""
    call = called.call
    data = call.outcome.data if call.name == "speak" and call.outcome.status == "ok" else None
    return str(data.get("message", "")) if isinstance(data, dict) else ""
