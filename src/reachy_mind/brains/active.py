"""`ActiveBrain`: the brain of a mind: chosen on first use, prepared in the background, closed at the end."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import MindError
from reachy_mind.events import BrainChanged, Bus

if TYPE_CHECKING:
    from reachy_mind.brains.brain import Brain, Past, Preparable, Sense, SpeechToSpeech, Turn
    from reachy_mind.brains.upgrade import UpgradeState
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.profiles.profile import Profile

UNKNOWN_END_OF_TURN = 0.6
"""The probability that a person has finished, of a brain that can't tell."""

_log = log.get(__name__)


class ActiveBrain:
    """`brain`: an existing one, which the caller closes."""

    def __init__(self, configuration: Configuration, bus: Bus, brain: Brain | None = None) -> None:
        self._configuration, self._bus, self._brain, self._given = configuration, bus, brain, brain is not None
        self._choosing = threading.Lock()

    @property
    def loaded(self) -> bool:
        return self._brain is not None

    def brain(self) -> Brain:
        """The brain. The first call takes a second: make it in a thread. Raises what the chosen brain raises."""
        with self._choosing:
            if self._brain is None:
                from reachy_mind.brains.selection import choose  # noqa: PLC0415

                self._brain = choose(self._configuration, self._changed)
            return self._brain

    def _changed(self, state: UpgradeState, about: str) -> None:
        _log.info(f"brain {state}", thinking=about)
        self._bus.publish(BrainChanged(state=state, thinking=about))

    def prepare(self, turn: Turn, stack: contextlib.AsyncExitStack) -> None:
        """Load in the background what the brain needs, until `stack` closes."""
        from reachy_mind.brains.brain import Preparable  # noqa: PLC0415

        brain: object = self._brain
        if isinstance(brain, Preparable):
            preparing = asyncio.create_task(_prepared(brain, turn), name="brain preparing")
            stack.push_async_callback(cancel_and_wait, preparing)

    def reconsider(self, turn: Turn) -> None:
        """Look for a brain that thinks, if there is none, and use it once it is loaded and no turn is under way."""
        from reachy_mind.brains.auto import Auto  # noqa: PLC0415

        if isinstance(self._brain, Auto):
            self._brain.reconsider(turn)

    @property
    def lacks_model(self) -> bool:
        """Whether reflex is alone because no brain that thinks was found."""
        from reachy_mind.brains.auto import Auto  # noqa: PLC0415

        return isinstance(self._brain, Auto) and self._brain.choice is not None and not self._brain.choice.thinker

    async def aclose(self) -> None:
        """Close the brain; the next call of `brain` chooses again."""
        from reachy_mind.brains.brain import Closable  # noqa: PLC0415

        if self._given:
            return
        brain: object = self._brain
        self._brain = None
        if isinstance(brain, Closable):
            await brain.aclose()

    @property
    def line(self) -> str:
        """Which brain thinks and why, in one line, as far as it is decided."""
        from reachy_mind.brains.auto import Auto  # noqa: PLC0415

        brain = self.brain()
        return brain.choice.line if isinstance(brain, Auto) and brain.choice else brain.name

    async def decide(self) -> str:
        """As `line`, once it is decided: that takes at most a second."""
        from reachy_mind.brains.auto import Auto  # noqa: PLC0415

        brain = await asyncio.to_thread(self.brain)
        if isinstance(brain, Auto):
            await brain.decided()
        return self.line

    async def end_of_turn_probability(self, text: str) -> float:
        """How likely a person who said this and fell silent has finished: 0 to 1."""
        from reachy_mind.brains.brain import EndOfTurnJudge  # noqa: PLC0415

        brain = self.brain()
        if isinstance(brain, EndOfTurnJudge):
            return await asyncio.to_thread(brain.finished, text)
        return UNKNOWN_END_OF_TURN

    async def sense(self, text: str, history: Sequence[Past] = (), conversation: str = "") -> Sense | None:
        """What the brain would make of these words after those turns; None when it can't tell."""
        from reachy_mind.brains.brain import SenseJudge  # noqa: PLC0415

        brain = self.brain()
        if isinstance(brain, SenseJudge):
            return await asyncio.to_thread(brain.sense, text, history, conversation)
        return None

    def frequent_replies(self, language: str, profile: Profile) -> Sequence[str]:
        """What the brain says often, if it knows; the profile's own wording first."""
        from reachy_mind.brains.brain import EndOfTurnJudge  # noqa: PLC0415

        brain = self.brain()
        if not isinstance(brain, EndOfTurnJudge):
            return ()
        own = (way for ways in profile.manner.get(language, {}).values() for way in ways if "{" not in way)
        return (*own, *brain.usual(language))

    def speech_to_speech(self) -> SpeechToSpeech | None:
        """The brain, if it hears and speaks itself."""
        from reachy_mind.brains.auto import Auto  # noqa: PLC0415
        from reachy_mind.brains.brain import SpeechToSpeech  # noqa: PLC0415

        brain: object = self.brain()
        first = brain.named if isinstance(brain, Auto) else brain
        return first if isinstance(first, SpeechToSpeech) else None


async def _prepared(brain: Preparable, turn: Turn) -> None:
    try:
        await brain.prepare(turn)
    except MindError as error:  # the first question gets the same error
        _log.warning("the brain is not ready", reason=error.message, hint=error.hint)
