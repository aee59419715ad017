"""`open_feedback`: the feedback of a mind, wired to its database, its toolbox and its conversations."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass

from reachy_mind import log
from reachy_mind.brains.brain import Brain, Turn
from reachy_mind.brains.reflex.spelling import common_words
from reachy_mind.brains.text_models import text_model
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError
from reachy_mind.events import Announced, Bus
from reachy_mind.feedback.corrections import read_corrections
from reachy_mind.feedback.judge import FeedbackJudge
from reachy_mind.feedback.learner import BayesianRegression, Label
from reachy_mind.feedback.reader import FeedbackReader
from reachy_mind.feedback.readings import FeedbackReading
from reachy_mind.feedback.reviser import Reviser
from reachy_mind.feedback.revisions import wording
from reachy_mind.feedback.service import FeedbackService, PastTurns
from reachy_mind.feedback.taught import Taught
from reachy_mind.feedback.turn_feedback import SURE, TurnFeedback
from reachy_mind.models.text_model import PulledTextModel
from reachy_mind.storage.database import Database
from reachy_mind.tools.context import Caller
from reachy_mind.tools.toolbox import Toolbox

_log = log.get(__name__)


@dataclass(frozen=True)
class Feedback:
    """The parts that others use."""

    service: FeedbackService
    turn_feedback: TurnFeedback

    def revising(self, brain: Brain) -> Reviser:
        """The brain with a `Reviser` in front of it."""
        return Reviser(brain, self.service, self.turn_feedback)


class JudgedReader:
    """Reads feedback with the reward model, and with a language model as the settings say. Both load on first use."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration, self._judge = configuration, configuration.settings.learning.judge
        self._loading = asyncio.Lock()
        self._reader: FeedbackReader | None = None
        self._with_judge: FeedbackJudge | None = None

    async def __call__(self, text: str) -> FeedbackReading:
        async with self._loading:
            if self._reader is None:
                weights = self._configuration.home.reward_weights_file
                self._reader = await asyncio.to_thread(FeedbackReader.load, weights)
                self._with_judge = await self._found_judge(self._reader)
        if self._with_judge is not None:
            return await self._with_judge.read(text)
        return await asyncio.to_thread(self._reader.read, text)

    async def _found_judge(self, reader: FeedbackReader) -> FeedbackJudge | None:
        if self._judge == "off":
            return None
        try:
            model = await text_model(self._configuration)
        except MindError as error:
            _log.warning("no language model reads feedback", reason=error.message)
            return None
        if model is None or (isinstance(model, PulledTextModel) and self._judge != "always"):
            return None
        return FeedbackJudge(model, reader, below=SURE if self._judge == "unsure" else 1.01)


async def open_feedback(
    configuration: Configuration,
    database: Database,
    bus: Bus,
    toolbox: Toolbox,
    past: PastTurns,
    stack: contextlib.AsyncExitStack,
) -> Feedback:
    """Load what was learned, and read the feedback in turns until `stack` closes. Raises DatabaseError."""

    async def stop() -> None:
        await toolbox.call("robot.stop", caller=Caller("program", "feedback"))

    def ask(turn: Turn) -> None:
        text = wording(turn).say("feedback_question")
        bus.publish(Announced(text=text, about="feedback", conversation=turn.conversation))

    warming = asyncio.create_task(asyncio.to_thread(_load_words), name="words of feedback")
    stack.push_async_callback(asyncio.wait, [warming])
    read = JudgedReader(configuration)
    service = FeedbackService(database, bus, read=read, past=past, stop=stop)
    await service.load()
    toolbox.parts.tuning, toolbox.parts.lessons = service.tuning, Taught(service)
    asks = ask if configuration.settings.learning.questions else None
    turn_feedback = await stack.enter_async_context(TurnFeedback(service, bus, read, asks))
    return Feedback(service, turn_feedback)


def _load_words() -> None:
    """Word lists are read and arithmetic begins on first use, which takes a moment that no turn should wait for."""
    read_corrections("a bit lower")
    common_words()
    BayesianRegression(1, labels=[Label((1.0,), 0.1)]).mean((1.0,))
