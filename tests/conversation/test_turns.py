"""Turns: one at a time, a word of stop at once, and a brain that may do what it likes."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.brains.brain import Called, Done, Handoff, Past, Said, Thought, ToolCall, Turn
from reachy_mind.conversation.past_turns import corrected, corrects, without_repeats
from reachy_mind.conversation.response import Response
from reachy_mind.conversation.turns import Turns
from reachy_mind.conversation.wire import chat_answer
from reachy_mind.errors import InvalidParameter, NotReady
from reachy_mind.events import ReplyGrew, TurnEnded, TurnStarted
from reachy_mind.memory.conversations import Conversations
from reachy_mind.storage.database import Database
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import Outcome
from tests.tools.bench import done, toolbox
from tests.waiting import until


class Scripted:
    """A brain that does what it is told: the text is its script."""

    name = "scripted"

    def __init__(self) -> None:
        self.seen: list[Turn] = []

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        self.seen.append(turn)
        match turn.text:
            case "fail":
                raise RuntimeError("no idea")
            case "not ready":
                raise NotReady("the model is not there", hint="start it")
            case "hang":
                done.append("hanging")
                await asyncio.sleep(3600)
            case "ponder":
                yield Handoff("model", "not sure")
                yield Said("Well.")
                yield Done(brain="model")
            case "hand on":
                yield Said("Right.")
                yield Handoff("VisionAgent", "it is about seeing")
                yield Said("I see a cup.")
                yield Done(tokens_in=7, tokens_out=3, agent="VisionAgent")
            case "hand back":
                yield Handoff("model", "not sure")
                yield Said("I can't reach it.")
                yield Done(brain="reflex")
            case "dance":
                yield Said("Here I go. ")
                outcome = await turn.call("hold", {"seconds": 30})
                yield Called(ToolCall("hold", {"seconds": 30}, outcome))
                yield Said("And again.")
                yield Called(ToolCall("nod", {}, await turn.call("nod", {})))
            case text:
                outcome = await turn.call("nod", {"times": 1})
                yield Called(ToolCall("nod", {"times": 1}, outcome))
                yield Said(f"You said {text}.")
                yield Done(cost_usd=0.5)


@contextlib.asynccontextmanager
async def turns(tmp_path: Path) -> AsyncIterator[tuple[Turns, Scripted, Conversations]]:
    async with toolbox(tmp_path) as box:
        assert box.parts.database is not None
        brain, kept = Scripted(), Conversations(box.parts.database)
        taking = Turns(lambda: brain, box, kept, box.parts.bus)
        box.on_stop = taking.stopped
        yield taking, brain, kept


async def ask(taking: Turns, text: str, **about: Any) -> Response:
    async for thought in taking.take(text, **about):
        if isinstance(thought, Response):
            return thought
    raise AssertionError("no response")


async def test_who_answered_and_who_handed_on_is_told(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, _, kept):
        response = await ask(taking, "hand on")
        stored = (await kept.turns(response.conversation))[0][0]
        assert (stored.agent, (await kept.get(response.conversation))["agent"]) == ("VisionAgent", "VisionAgent")
        told = chat_answer(response)
        assert (told["response"], told["agent_used"]) == ("Right. I see a cup.", "VisionAgent")
        assert told["handoffs"] == [{"to": "VisionAgent", "reason": "it is about seeing"}]
        assert told["tokens"] == {"in": 7, "out": 3}
        back = chat_answer(await ask(taking, "hand back"))
        assert back["agent_used"] == "reflex" and "agent" not in back, "not the model that could not be had"
        plain = chat_answer(await ask(taking, "hello"))
        assert plain["agent_used"] == "scripted" and not plain.keys() & {"handoffs", "tokens", "agent"}


async def test_a_turn_answers_acts_and_is_kept(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, _, kept):
        response = await ask(taking, "hello", person="Ada")
        assert (response.text, response.brain, response.cost_usd, response.error) == (
            "You said hello.",
            "scripted",
            0.5,
            None,
        )
        assert [call.as_dict() for call in response.tool_calls] == [
            {"name": "nod", "args": {"times": 1}, "status": "ok"}
        ]
        assert 0 < response.latency_ms <= response.duration_ms
        (record,), total = await kept.turns(response.conversation)
        assert total == 1 and (record.said, record.reply, record.state) == ("hello", "You said hello.", "done")


async def test_who_hands_over_to_a_model_is_seen_to_think_at_once_and_who_answered_is_kept(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, brain, _):
        doing: list[str] = []
        taking._on_phase = doing.append
        response = await ask(taking, "ponder")
        assert response.brain == "model" and doing == ["thinking", "pondering", "acting", "ready"]
        await ask(taking, "hello", conversation=response.conversation)
        assert [past.brain for past in brain.seen[-1].history] == ["model"]


async def test_the_next_turn_knows_the_last(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, brain, _):
        first = await ask(taking, "one")
        await ask(taking, "two", conversation=first.conversation)
        await ask(taking, "other")
        past = brain.seen[1].history
        assert [(turn.said, turn.reply, turn.calls[0].name) for turn in past] == [("one", "You said one.", "nod")]
        assert brain.seen[0].history == brain.seen[2].history == ()


async def test_who_goes_on_speaking_has_nothing_done_twice(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, brain, _):
        first = await ask(taking, "nod")
        done.clear()
        whole = await ask(taking, "nod please", conversation=first.conversation, context={"continues": True})
        assert done == [] and whole.tool_calls[0].outcome.status == "ok"
        assert brain.seen[-1].history == (), "its beginning is no turn of its own"
        await ask(taking, "nod", conversation=first.conversation)
        assert len(done) == 1, "whoever says it again has it done again"


async def test_a_turn_before_the_voice_began_is_not_its_beginning(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, brain, _):
        first = await ask(taking, "nod")
        done.clear()
        context = {"continues": True, "voice_began_at": time.monotonic()}
        await ask(taking, "nod", conversation=first.conversation, context=context)
        assert len(done) == 1 and len(brain.seen[-1].history) == 1


async def test_a_timer_of_the_beginning_makes_room_for_the_one_that_was_meant() -> None:
    calls: list[tuple[str, dict[str, Any]]] = []

    async def gate(name: str, args: dict[str, Any]) -> Outcome:
        calls.append((name, args))
        return Outcome("ok", {"timer_id": "8"})

    begun = ToolCall("set_timer", {"minutes": 5}, Outcome("ok", {"timer_id": "7"}))
    await without_repeats(gate, [begun])("set_timer", {"minutes": 10})
    assert calls == [("cancel_timer", {"timer_id": "7"}), ("set_timer", {"minutes": 10})]
    calls.clear()
    again = without_repeats(gate, [begun])
    await again("set_timer", {"minutes": 5})
    await again("set_timer", {"minutes": 10})
    assert calls == [("set_timer", {"minutes": 10})], "the first is part of what was meant"


@pytest.mark.parametrize(
    "said", ["No, ten minutes.", "Sorry, ten.", "I mean ten minutes", "Nein, zehn Minuten", "Non, dix"]
)
async def test_who_corrects_a_timer_a_little_later_has_one(said: str) -> None:
    begun = ToolCall("set_timer", {"minutes": 5}, Outcome("ok", {"timer_id": "7"}))
    assert corrects(said, Past("a timer for five", "", (begun,), "reflex", "1", time.time() - 3))
    assert not corrects(said, Past("a timer for five", "", (begun,), "reflex", "1", time.time() - 60))
    calls: list[str] = []

    async def gate(name: str, args: dict[str, Any]) -> Outcome:
        calls.append(name)
        return Outcome("ok", {"timer_id": "8"})

    await corrected(gate, [begun])("set_timer", {"minutes": 10})
    assert calls == ["cancel_timer", "set_timer"]


@pytest.mark.parametrize("said", ["Set a timer for ten minutes", "And one for ten minutes", "No thanks", "No problem"])
def test_another_timer_is_no_correction(said: str) -> None:
    assert not corrects(said, Past("a timer for five", "", (), "reflex", "1", time.time()))


async def test_nothing_is_done_before_the_turn_is_released(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, _, _):
        done.clear()
        released = asyncio.Event()
        asking = asyncio.create_task(ask(taking, "nod", context={"released": released}))
        await until(lambda: taking.phase == "acting")
        assert done == []
        released.set()
        assert (await asking).tool_calls[0].outcome.status == "ok"
        assert len(done) == 1


async def test_a_stop_waits_for_nothing(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, _, _):
        stopped = await ask(taking, "stop!", context={"released": asyncio.Event()})
        assert [call.name for call in stopped.tool_calls] == ["stop"]


async def test_a_brain_that_fails_hurts_no_other_turn(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, _, kept):
        failed = await ask(taking, "fail")
        assert failed.error is not None and failed.error["code"] == "BRAIN_FAILED"
        refused = await ask(taking, "not ready")
        assert (
            refused.error is not None and refused.error["code"] == "NOT_READY" and refused.error["hint"] == "start it"
        )
        assert (await ask(taking, "fine")).error is None
        (record,), _ = await kept.turns(failed.conversation)
        assert record.state == "failed"


async def test_turns_wait_for_one_another(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, brain, _):
        responses = await asyncio.gather(*(ask(taking, str(number)) for number in range(5)))
        assert [response.text for response in responses] == [f"You said {number}." for number in range(5)]
        assert [turn.text for turn in brain.seen] == ["0", "1", "2", "3", "4"]


async def test_stop_cuts_the_turn_short_and_needs_no_brain(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, brain, _):
        dancing = asyncio.create_task(ask(taking, "dance"))
        await until(lambda: "hold" in done)
        stopped = await ask(taking, "stop!")
        assert [call.name for call in stopped.tool_calls] == ["stop"] and stopped.text == "Stopped."
        cut = await dancing
        assert cut.error is not None and cut.error["code"] == "INTERRUPTED" and cut.text == "Here I go."
        assert done == ["hold", "stop"] and len(brain.seen) == 1


async def test_a_stop_by_another_way_ends_the_turn_too(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, _, _kept):
        dancing = asyncio.create_task(ask(taking, "dance"))
        await until(lambda: "hold" in done)
        await taking._toolbox.call("robot.stop", caller=Caller("person", "page"))
        cut = await dancing
        assert cut.error is not None and done == ["hold", "stop"]


@pytest.mark.parametrize(
    "said", ["stop", "my finger is stuck", "shut down now", "lass mich los", "that hurts, stop dancing"]
)
async def test_stop_works_while_the_brain_hangs(tmp_path: Path, said: str) -> None:
    async with turns(tmp_path) as (taking, _, _kept):
        hanging = asyncio.create_task(ask(taking, "hang"))
        await until(lambda: "hanging" in done)
        stopped = await ask(taking, said)
        assert stopped.error is None and [call.name for call in stopped.tool_calls] == ["stop"]
        assert (await hanging).error is not None
        assert (await ask(taking, "fine")).text == "You said fine."


async def test_whoever_stops_listening_cuts_the_turn_short(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, _, kept):
        async with contextlib.aclosing(taking.take("dance")) as thoughts:
            assert isinstance(await anext(thoughts), Said)
        rows, _ = await kept.listed()
        (record,), _ = await kept.turns(rows[0]["id"])
        assert record.state == "interrupted" and "nod" not in str(done)


async def test_whoever_only_waited_and_left_does_not_make_it_look_ready(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, brain, _kept):
        doing: list[str] = []
        taking._on_phase = doing.append
        first = asyncio.create_task(ask(taking, "hang"))
        while not brain.seen:
            await asyncio.sleep(0)
        async with contextlib.aclosing(taking.take("hello")) as thoughts:
            waiting = asyncio.create_task(anext(thoughts))
            while taking._waiting < 2:
                await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait([waiting])
        assert "ready" not in doing
        assert await taking.interrupt() and (await first).error is not None and doing[-1] == "ready"


async def test_an_interruption(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, _, _kept):
        assert await taking.interrupt() is False
        hanging = asyncio.create_task(ask(taking, "hang"))
        await until(lambda: "hanging" in done)
        assert await taking.interrupt() is True
        assert (await hanging).error == {"code": "INTERRUPTED", "message": "the answer was cut short", "hint": ""}


@pytest.mark.parametrize("text", ["", "   ", "x" * 30_000, None, 5])
async def test_what_is_no_text_is_refused(tmp_path: Path, text: Any) -> None:
    async with turns(tmp_path) as (taking, _, _kept):
        with pytest.raises(InvalidParameter):
            await ask(taking, text)


async def test_half_a_character_is_survived(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, _, _kept):
        assert (await ask(taking, "a\ud800b")).error is None


async def test_it_is_told_as_it_happens(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, _, _kept):
        with taking._bus.subscribe(TurnStarted, ReplyGrew, TurnEnded) as events:
            await ask(taking, "hello")
            kinds = [type(await events.get()) for _ in range(3)]
        assert kinds == [TurnStarted, ReplyGrew, TurnEnded]


async def test_a_turn_under_way_at_a_crash_is_known_afterwards(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, _, _kept):
        hanging = asyncio.create_task(ask(taking, "hang"))
        await until(lambda: "hanging" in done)
        copy = tmp_path / "copy.db"
        copy.write_bytes((tmp_path / "mind.db").read_bytes())
        (tmp_path / "copy.db-wal").write_bytes((tmp_path / "mind.db-wal").read_bytes())
        hanging.cancel()
        await asyncio.gather(hanging, return_exceptions=True)
    async with Database(copy) as database:
        kept = Conversations(database)
        assert [(record.said, record.state) for record in await kept.recover()] == [("hang", "interrupted")]
        assert await kept.recover() == []


async def test_a_stop_ends_turns_that_wait_or_are_about_to_begin(tmp_path: Path) -> None:
    async with turns(tmp_path) as (taking, brain, _):
        hanging = asyncio.create_task(ask(taking, "hang"))
        await until(lambda: "hanging" in done)
        waiting = asyncio.create_task(ask(taking, "dance"))
        await asyncio.sleep(0)  # it has been said, and no more
        stopped = asyncio.create_task(ask(taking, "stop"))
        after = asyncio.create_task(ask(taking, "fine"))
        codes = [(await turn).error["code"] for turn in (hanging, waiting)]  # type: ignore[index]
        assert codes == ["INTERRUPTED", "INTERRUPTED"]
        assert (await stopped).error is None
        assert (await after).text == "You said fine."
        assert [turn.text for turn in brain.seen] == ["hang", "fine"]
