"""`open_feedback`: the feedback of a mind, wired to its database, its toolbox and its conversations."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from reachy_mind.brains.brain import Brain, Turn
from reachy_mind.events import Announced, Bus
from reachy_mind.feedback.reader import FeedbackReader
from reachy_mind.feedback.readings import Reading
from reachy_mind.feedback.reviser import Reviser
from reachy_mind.feedback.revisions import wording
from reachy_mind.feedback.service import FeedbackService, PastTurns
from reachy_mind.feedback.taught import Taught
from reachy_mind.feedback.turn_feedback import TurnFeedback
from reachy_mind.storage.database import Database
from reachy_mind.tools.context import Caller
from reachy_mind.tools.toolbox import Toolbox


@dataclass(frozen=True)
class Feedback:
    """The parts that others use."""

    service: FeedbackService
    turn_feedback: TurnFeedback

    def revising(self, brain: Brain) -> Reviser:
        """The brain with a `Reviser` in front of it."""
        return Reviser(brain, self.service, self.turn_feedback)


async def open_feedback(
    database: Database,
    bus: Bus,
    toolbox: Toolbox,
    past: PastTurns,
    weights: Path,
    stack: contextlib.AsyncExitStack,
) -> Feedback:
    """Load what was learned, and read the feedback in turns until `stack` closes. Raises DatabaseError.

    `weights`: those of a reward model that was trained here; the shipped ones are used where there are none.
    """
    reader = cache(lambda: FeedbackReader.load(weights))

    def read(text: str) -> Reading:
        return reader().read(text)

    async def stop() -> None:
        await toolbox.call("robot.stop", caller=Caller("program", "feedback"))

    def ask(turn: Turn) -> None:
        text = wording(turn).say("feedback_question")
        bus.publish(Announced(text=text, about="feedback", conversation=turn.conversation))

    service = FeedbackService(database, bus, read=read, past=past, stop=stop)
    await service.load()
    toolbox.parts.tuning, toolbox.parts.lessons = service.tuning, Taught(service)
    turn_feedback = await stack.enter_async_context(TurnFeedback(service, bus, read, ask))
    return Feedback(service, turn_feedback)
