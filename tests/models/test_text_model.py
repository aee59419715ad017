"""One `complete` for every kind of model: answers, schemas, faults, keys and costs."""

from __future__ import annotations

import json

import pytest

from reachy_mind.brains.brain import BrainUnavailable
from reachy_mind.brains.text_models import text_model
from reachy_mind.config.configuration import load
from reachy_mind.errors import BadAnswer, Busy, NotReady, TimedOut
from reachy_mind.models.claude_text_model import ClaudeTextModel
from reachy_mind.models.text_model import PulledTextModel, ServerTextModel
from tests.fakes.anthropic_messages import KEY, AnthropicServer, Say, Use
from tests.fakes.llamas import log, scripted
from tests.fakes.openai_chat import MODEL, Fault, ModelServer, say

__all__ = ["scripted"]
ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "A number?"}]
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.process
async def test_the_pulled_model_keeps_to_the_schema(scripted, tmp_path):
    model = PulledTextModel(scripted('{"n": 3}'))
    try:
        assert json.loads(await model.complete(ASKED, SCHEMA, 50)) == {"n": 3}
    finally:
        await model.aclose()
    (row,) = log(tmp_path)
    assert row["asked"]["response_format"]["json_schema"]["schema"] == SCHEMA


@pytest.mark.process
async def test_a_json_answer_of_the_pulled_model_that_was_cut_is_an_error(scripted):
    model = PulledTextModel(scripted({"text": '{"n": ', "cut": True}))
    try:
        with pytest.raises(BadAnswer):
            await model.complete(ASKED, SCHEMA, 5)
    finally:
        await model.aclose()


async def test_a_server_gets_the_schema_and_answers_whole():
    with ModelServer([say('{"n": 4}')]) as server:
        model = ServerTextModel(server.base, MODEL)
        assert await model.complete(ASKED, SCHEMA, 50) == '{"n": 4}'
        assert server.asked[0].body["response_format"]["json_schema"]["schema"] == SCHEMA
        assert server.wrong == []


async def test_a_server_without_a_named_model_is_asked_for_its_first():
    with ModelServer([say("four")], models=("first", "second")) as server:
        model = ServerTextModel(server.base)
        assert await model.complete(ASKED, None, 50) == "four"
        assert model.name == "first"


async def test_a_server_that_knows_no_schema_is_asked_without_it():
    with ModelServer(lambda asked: Fault("broken") if "response_format" in asked.body else say("4")) as server:
        model = ServerTextModel(server.base, MODEL)
        assert await model.complete(ASKED, SCHEMA, 50) == "4"
        assert await model.complete(ASKED, SCHEMA, 50) == "4"
        assert len(server.asked) == 3  # it was tried with the schema once


@pytest.mark.parametrize(("kind", "error"), [("refused", BadAnswer), ("broken", BadAnswer), ("cut", NotReady)])
async def test_a_servers_faults_are_typed(kind, error):
    with ModelServer(lambda _: Fault(kind)) as server, pytest.raises(error) as caught:
        await ServerTextModel(server.base, MODEL).complete(ASKED, None, 50)
    assert caught.value.hint


async def test_a_server_that_hangs_or_is_gone():
    with ModelServer(lambda _: Fault("hangs")) as server, pytest.raises(TimedOut):
        await ServerTextModel(server.base, MODEL, timeout_s=0.3).complete(ASKED, None, 50)
    with pytest.raises(NotReady):
        await ServerTextModel(server.base, MODEL).complete(ASKED, None, 50)


async def test_claude_answers_in_words_or_by_the_schema():
    with AnthropicServer([Say("four of them"), Use([("answer", {"n": 4})])]) as server:
        model = ClaudeTextModel("claude-sonnet-5-5", KEY, url=server.url)
        assert (await model.complete(ASKED, None, 50)).strip() == "four of them"
        assert json.loads(await model.complete(ASKED, SCHEMA, 50)) == {"n": 4}
        assert server.asked[0].system == "Be brief."
        assert server.asked[1].body["tool_choice"] == {"type": "tool", "name": "answer"}
        assert server.wrong == []


@pytest.mark.parametrize(
    ("fault", "error"),
    [("401", NotReady), ("404", NotReady), ("429", Busy), ("529", NotReady), ("cut in words", BadAnswer),
     ("garbage", BadAnswer), ("html", BadAnswer), ("hangs", TimedOut)],
)  # fmt: skip
async def test_claudes_faults_are_typed(fault, error):
    with AnthropicServer(fault=fault) as server, pytest.raises(error) as caught:
        await ClaudeTextModel("claude-sonnet-5-5", KEY, url=server.url, timeout_s=1.0).complete(ASKED, None, 50)
    assert caught.value.hint
    assert KEY not in str(caught.value.as_dict())


async def test_claude_that_does_not_want_to_is_an_error():
    with AnthropicServer([Say("no", stop="refusal")]) as server, pytest.raises(BadAnswer):
        await ClaudeTextModel("claude-sonnet-5-5", KEY, url=server.url).complete(ASKED, None, 50)


async def test_the_settings_choose_the_model_as_they_choose_the_brain(monkeypatch, tmp_path):
    monkeypatch.setenv("REACHY_MIND_HOME", str(tmp_path))
    server = await text_model(
        load(flags={"mind.brain": "auto", "openai.url": "http://127.0.0.1:9/v1", "openai.model": "m"})
    )
    assert isinstance(server, ServerTextModel) and server.name == "m"
    claude = await text_model(load(flags={"mind.brain": "claude", "anthropic.api_key": "x"}))
    assert isinstance(claude, ClaudeTextModel)
    assert await text_model(load(flags={"mind.brain": "reflex"})) is None


async def test_the_key_of_openai_goes_to_openai_alone(monkeypatch, tmp_path):
    monkeypatch.setenv("REACHY_MIND_HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "secret-of-openai")
    with ModelServer([say("four")]) as server:
        model = await text_model(load(flags={"mind.brain": "auto", "openai.url": server.base, "openai.model": MODEL}))
        assert model is not None
        await model.complete(ASKED, None, 50)
        assert "secret" not in str(server.asked[0].headers)


async def test_the_limit_of_the_day_holds_for_these_answers_too(monkeypatch, tmp_path):
    monkeypatch.setenv("REACHY_MIND_HOME", str(tmp_path))
    with AnthropicServer([Say("four")]) as server:
        flags = {"mind.brain": "claude", "anthropic.url": server.url, "anthropic.api_key": KEY}
        flags |= {"anthropic.usd_per_day": 0.0001, "anthropic.usd_per_million_in": 2.0}
        model = await text_model(load(flags=flags))
        assert model is not None
        await model.complete(ASKED, None, 50)  # 100 tokens in, 20 out: more than the limit
        with pytest.raises(BrainUnavailable):
            await model.complete(ASKED, None, 50)
        assert len(server.asked) == 1
