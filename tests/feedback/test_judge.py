"""A language model as judge: a server that answers what a test tells it to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from reachy_mind.errors import NotReady
from reachy_mind.feedback.judge import FeedbackJudge
from reachy_mind.feedback.reader import FeedbackReader


class AnsweringModel:
    """A text model at the edge: gives one answer, and keeps what it was asked."""

    name = "answering"

    def __init__(self, answer: str | Exception) -> None:
        self.answer, self.asked = answer, list[Sequence[Mapping[str, Any]]]()

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        schema: Mapping[str, Any] | None,  # noqa: ARG002
        max_tokens: int,  # noqa: ARG002
    ) -> str:
        self.asked.append(messages)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def aclose(self) -> None: ...


@pytest.fixture(scope="module")
def reader() -> FeedbackReader:
    return FeedbackReader.load()


async def test_its_word_counts_and_it_knows_the_action(reader: FeedbackReader) -> None:
    model = AnsweringModel('{"reward": -0.6}')
    reading = await FeedbackJudge(model, reader).read("how very original", about="dance(name='twist')")
    assert (reading.reward, reading.source) == (-0.6, "judge")
    assert "twist" in str(model.asked[0])


@pytest.mark.parametrize("text", ["stop", "8 out of 10"])
async def test_a_stop_and_a_rating_need_no_judge(reader: FeedbackReader, text: str) -> None:
    model = AnsweringModel('{"reward": 1}')
    reading = await FeedbackJudge(model, reader).read(text)
    assert not model.asked and reading.source in ("stop", "rating")


@pytest.mark.parametrize("answer", ["", "great", '{"reward": 7}', '{"reward": "good"}', NotReady("no server")])
async def test_without_a_usable_answer_the_reward_model_decides(reader: FeedbackReader, answer: Any) -> None:
    reading = await FeedbackJudge(AnsweringModel(answer), reader).read("that was lovely")
    assert reading.source == "model" and reading.reward > 0.4
