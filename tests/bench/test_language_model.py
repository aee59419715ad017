"""The language model the reflex brain is compared with. `make test-models` brings what these tests need."""

from __future__ import annotations

import importlib.util

import pytest

from reachy_mind.bench.language_model import LanguageModel, prompt, schema, steps
from reachy_mind.brains.reflex.plan import Step
from reachy_mind.config.configuration import load
from reachy_mind.errors import AssetError, MissingExtra
from reachy_mind.models.chat_choice import DEFAULT
from reachy_mind.models.store import Store
from tests.conftest import MODELS

pytestmark = pytest.mark.process

RUNTIME = importlib.util.find_spec("xllamacpp") is not None
PULLED = Store(MODELS).status(DEFAULT).state == "ready"


@pytest.mark.skipif(not (RUNTIME and PULLED), reason="needs xllamacpp and the asset chat: make test-models")
@pytest.mark.timeout(900)  # reading the prompt takes over a minute on one core
def test_it_chooses_tools_for_one_thing_for_several_and_for_what_follows():
    with LanguageModel.of(load()) as model:
        assert model.plan("go to sleep") == [Step("sleep")]
        assert [step.tool for step in model.plan("Nod and then dance.")] == ["nod", "dance"]
        # `in`: it was seen to make the earlier call again before this one, which is for the benchmark to count.
        assert Step("get_weather", {"place": "Tokyo"}) in model.plan("and in Tokyo?", "What's the weather in Paris?")


def test_without_the_runtime_or_the_model_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("REACHY_MIND_MODELS__FOLDER", str(tmp_path))
    with pytest.raises(AssetError if RUNTIME else MissingExtra) as failed:
        LanguageModel.of(load())
    assert failed.value.hint == ("reachy-mind models pull chat" if RUNTIME else "pip install 'reachy-mind[agents]'")


def test_an_answer_that_is_no_list_of_calls_is_no_calls():
    assert steps('[{"tool": "nod", "args": {"times": 3}}, {"tool": "wave", "args": {}}]') == [
        Step("nod", {"times": 3}),
        Step("wave"),
    ]
    for bad in ("", "[]", "null", "7", '"nod"', "{}", '[{"tool": "nod", "args": {"ti', '["nod"]', '[{"tool": "nod"}]'):
        assert steps(bad) == []
    assert steps('[{"tool": "nod", "args": 3}]') == []


def test_it_is_offered_what_brains_are_and_nothing_hidden():
    names = schema()["items"]["properties"]["tool"]["enum"]
    told = prompt()[0]["content"]
    assert "move_head" in names and "create_tool" in names
    assert all(f"- {name}(" in told for name in names)
    assert all(step.tool in names for message in prompt()[2::2] for step in steps(message["content"]))
