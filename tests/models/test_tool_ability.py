"""Whether a served model can call tools: measured once by what comes back, kept, and never guessed."""

from __future__ import annotations

from pathlib import Path

from reachy_mind.brains import selection_rule
from reachy_mind.brains.selection_rule import BrainChoice
from reachy_mind.config.configuration import load
from reachy_mind.models.tool_ability import ServedModel, served_model
from tests.fakes.openai_chat import MODEL, Fault, ModelServer, say, use


async def test_a_model_that_calls_the_tool_can_call_tools_and_is_asked_once(tmp_path: Path) -> None:
    kept = tmp_path / "abilities.json"
    with ModelServer([use("switch_lamp", room="kitchen", on=True)]) as server:
        for _ in range(2):
            assert await served_model(server.base, None, "", kept) == ServedModel(MODEL, calls_tools=True)
        assert len(server.asked) == 1 and not server.wrong


async def test_text_that_looks_like_a_call_is_none(tmp_path: Path) -> None:
    with ModelServer([say('{"name": "switch_lamp", "arguments": {"room": "kitchen"}}')]) as server:
        found = await served_model(server.base, MODEL, "", tmp_path / "abilities.json")
    assert found == ServedModel(MODEL, calls_tools=False)


async def test_a_server_that_fails_is_asked_again_later(tmp_path: Path) -> None:
    kept = tmp_path / "abilities.json"
    with ModelServer([Fault("broken"), use("switch_lamp", room="kitchen", on=True)]) as server:
        assert await served_model(server.base, MODEL, "", kept) is None and not kept.exists()
        assert await served_model(server.base, MODEL, "", kept) == ServedModel(MODEL, calls_tools=True)
    assert await served_model(server.base, None, "", kept) is None, "nobody is there"


async def test_a_broken_file_is_measured_again(tmp_path: Path) -> None:
    kept = tmp_path / "abilities.json"
    kept.write_text("{ no JSON")
    with ModelServer([say("Done.")]) as server:
        assert await served_model(server.base, MODEL, "", kept) == ServedModel(MODEL, calls_tools=False)


async def test_the_brain_is_chosen_by_it(tmp_path: Path) -> None:
    with ModelServer([say("Sure, the lamp is on.")]) as server:
        flags = {"openai.url": server.base}
        configuration = load(flags=flags, environ={"REACHY_MIND_HOME": str(tmp_path)})
        choice = await selection_rule.by_ability(BrainChoice("agents", "openai.url", configuration))
        assert choice.thinker == "local" and choice.configuration.settings.openai.model == MODEL
        named = BrainChoice("agents", "mind.brain", configuration, first=True)
        assert await selection_rule.by_ability(named) is named, "who names it gets it"
