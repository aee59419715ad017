"""`record_training_feedback`: what people say about the episodes of a training, for REST and the live WebSocket."""

from __future__ import annotations

from reachy_mind.brains.stop_words import is_stop
from reachy_mind.errors import MindError
from reachy_mind.feedback.readings import Button
from reachy_mind.feedback.records import FeedbackRecord
from reachy_mind.learning.training.episode_feedback import parse_episode_id
from reachy_mind.learning.training.service import TrainingService
from reachy_mind.mind import Mind
from reachy_mind.tools.context import Caller


async def record_training_feedback(
    mind: Mind, *, episode_id: str, text: str, rating: float | None, button: Button | None, person: str, channel: str
) -> FeedbackRecord:
    """Record feedback on an episode, `RUN:NUMBER`, or without an id on what the run under way does just now, and give
    it to the process that trains. A stop ends that training.

    Raises InvalidParameter for a run that there is not, NotReady for one that nobody trains; a stop that did not end
    the training, after it was recorded.
    """
    service = TrainingService.of(mind)
    run, number = parse_episode_id(episode_id) or ("", None)
    trained = await service.require_under_way(run)
    stops = button == "stop" or is_stop(text)
    failed = await _stop_training(mind, channel) if stops else None
    record = await mind.feedback.service.give(
        text=text,
        rating=rating,
        button=button,
        episode=episode_id or trained["episode_id"] or trained["name"],
        person=person,
        channel=channel,
        stopped=True,
    )
    await service.tell(trained["name"], number, record.reward)
    if failed is not None:
        raise failed
    return record


async def _stop_training(mind: Mind, channel: str) -> MindError | None:
    try:
        await mind.act("learning.stop_training", caller=Caller("program", channel))
    except MindError as error:
        return error
    return None
