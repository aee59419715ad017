"""All data of a person: exported as JSON, and erased without a trace in any file, while the mind runs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.config.configuration import load
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.feedback.lessons import NewLesson
from reachy_mind.feedback.records import NewFeedback
from reachy_mind.mind import Mind
from tests.body.media.films import film
from tests.memory.files import traces
from tests.waiting import until

HERS = [
    "remember that my favourite colour is zinnoberrot",
    "I live in Quixelburg",
    "set a reminder in 3 hours to feed wobblecat",
]
WORDS = ("zinnober", "quixelburg", "wobblecat", "Zelmyra")


async def say(mind: Mind, person: str, *said: str, conversation: str | None = None) -> str:
    for text in said:
        response = await mind.ask(text, person=person, conversation=conversation)
        conversation = response.conversation
    assert mind.memory is not None and conversation is not None
    await mind.memory.turn_memory.flush()
    return conversation


async def test_export_has_all_and_erase_leaves_nothing(home: Path) -> None:
    async with Mind(robot="none").session() as mind:
        assert mind.memory is not None
        await say(mind, "Zelmyra", *HERS, "what is my favourite colour?")
        await say(mind, "Bob", "remember that my favourite colour is plumbago", "what time is it?")
        found = traces(home, *WORDS)
        assert {word for word in WORDS if any(one.startswith(word) for one in found)} == set(WORDS), "it was there"

        kept = await mind.memory.export("ZELMYRA")
        assert kept["person"] == "Zelmyra" and kept["profile"]["home"] == "Quixelburg"
        assert [turn["said"] for turn in kept["turns"]] == [*HERS, "what is my favourite colour?"]
        assert {"fact", "preference", "conversation"} <= {one["type"] for one in kept["memories"]}
        assert any("zinnoberrot" in call["arguments"] for call in kept["calls"]) and kept["timers"]
        assert "plumbago" not in str(kept)

        told = await mind.memory.erase("Zelmyra")
        assert told["complete"] and told["erased"]["turns"] == 4 and told["erased"]["people"] == 1
        assert traces(home, *WORDS) == []
        assert await mind.toolbox.audit.verify() is None, "the chain of the audit holds"
        with pytest.raises(InvalidParameter):
            await mind.memory.export("Zelmyra")
        response = await mind.ask("what is my favourite colour?", person="Bob")
        assert response.text == "Your favourite colour is plumbago."
    assert traces(home, *WORDS) == []


async def test_who_shared_a_conversation_keeps_their_part(home: Path) -> None:
    async with Mind(robot="none").session() as mind:
        assert mind.memory is not None
        shared = await say(mind, "Zelmyra", "I live in Quixelburg")
        await say(mind, "Bob", "I live in Plumbago", conversation=shared)
        told = await mind.memory.erase("Zelmyra")
        assert told["complete"] and traces(home, "quixelburg") == []
        turns, _ = await mind.conversations.turns(shared)
        assert [turn.said for turn in turns] == ["I live in Plumbago"]


async def test_what_was_said_before_the_name_goes_too(home: Path) -> None:
    async with Mind(robot="none").session() as mind:
        assert mind.memory is not None
        await say(mind, "", "remember that my locker is behind the zinnoberrot door", "my name is Wilhelmina")
        assert (await mind.memory.erase("wilhelmina"))["complete"]
        assert traces(home, "zinnober", "wilhelmina") == []


async def test_a_person_can_say_it_and_is_asked_first(home: Path) -> None:
    async with Mind(robot="none").session() as mind:
        talk = await say(mind, "", "my name is Wilhelmina", "remember that my favourite colour is zinnoberrot")
        with mind.confirmations.channel("test"):
            asking = asyncio.create_task(mind.ask("forget everything you know about me", conversation=talk))
            await until(lambda: mind.confirmations.pending)
            assert traces(home, "zinnober"), "not before a person said yes"
            mind.confirmations.answer(mind.confirmations.pending[0].id, approved=True, by="test")
            response = await asking
        assert response.text == "I have forgotten everything about you."
        assert traces(home, "zinnober", "wilhelmina") == []
        assert (await mind.ask("what do you know about me?", conversation=talk)).text.startswith(
            "I don't know anything"
        )


async def test_feedback_and_lessons_with_the_words_of_who_was_erased_go_too(home: Path) -> None:
    async with Mind(robot="none").session() as mind:
        assert mind.memory is not None
        service = mind.feedback.service
        shared = await say(mind, "Zelmyra", "I live in Quixelburg")
        await say(mind, "Bob", "I live in Plumbago", conversation=shared)
        for person, words in (("", "I live in Quixelburg"), ("bob", "Zelmyra taught you that")):
            await service.store(NewFeedback(-0.5, 0.9, "model", "turn", words, person, shared))
            label = {"request": words, "calls": [["dance", {}]]}
            await service.learn([NewLesson(person, "choice", "dance", label, words=words, conversation=shared)])
        told = await mind.memory.erase("Zelmyra")
        assert service.lessons("") == [] and len(service.lessons("bob")) == 1, "what Bob said is his"
        assert {"feedback", "lessons"} <= {one["what"] for one in told["kept"]} and not traces(home, "quixelburg")
        await mind.memory.erase("Zelmyra", everywhere=True)
        assert service.lessons() == [] and traces(home, "zelmyra") == []


async def test_a_forgotten_memory_is_not_quoted_in_feedback_and_lessons(home: Path) -> None:
    async with Mind(robot="none").session() as mind:
        assert mind.memory is not None
        talk = await say(mind, "Zelmyra", "remember that my favourite colour is zinnoberrot")
        [memory] = [one for one in (await mind.memory.export("Zelmyra"))["memories"] if one["key"]]
        words = f"bad: {memory['content']}"
        await mind.feedback.service.store(NewFeedback(-0.5, 0.9, "model", "turn", words, "zelmyra", talk))
        label = {"request": "do the thing", "calls": [["dance", {}]]}
        await mind.feedback.service.learn([NewLesson("zelmyra", "choice", "dance", label, words=words)])
        await mind.memory.forget_one(memory["id"])
        assert traces(home, "zinnober") == []


class Sketches:
    """A part that keeps something, and can't let go of it."""

    async def export(self, person: str) -> list[dict[str, Any]]:
        return [{"of": person}]

    async def erase(self, person: str) -> int:  # noqa: ARG002
        raise MindError("the disk is gone")


async def test_photos_are_theirs_who_had_them_taken_and_failures_are_told(tmp_path: Path) -> None:
    camera = film(tmp_path / "film.avi", [200] * 5)
    flags = {"robot.address": "none", "media.provider": "local", "media.camera": camera, "eyes.detector": "none"}
    async with Mind(load(flags=flags)).session() as mind:
        assert mind.memory is not None
        await say(mind, "Zelmyra", "take a photo")
        await say(mind, "Bob", "take a photo")
        mind.memory.erasure.stores["sketches"] = Sketches()
        kept = await mind.memory.export("Zelmyra")
        assert len(kept["photos"]) == 1 and kept["sketches"] == [{"of": "zelmyra"}]
        told = await mind.memory.erase("Zelmyra")
        assert told["erased"]["photos"] == 1
        [bobs] = mind.sight.photos.all()
        assert bobs.name != kept["photos"][0]["name"]
        assert told["failed"] == {"sketches": "the disk is gone"} and not told["complete"]


async def test_what_others_told_is_theirs_and_counted() -> None:
    async with Mind(robot="none").session() as mind:
        assert mind.memory is not None
        await say(mind, "Zelmyra", "I live in Quixelburg")
        await say(mind, "Bob", "remember that Zelmyra owes me ten euros")
        told = await mind.memory.erase("Zelmyra")
        assert told["mentioned_by_others"] >= 1
        assert "ten euros" in (await mind.ask("what do you remember about Zelmyra?", person="Bob")).text


async def test_an_id_that_a_program_chose_can_not_leave_the_audit_and_is_listed(home: Path) -> None:
    async with Mind(robot="none").session() as mind:
        assert mind.memory is not None
        await say(mind, "Zelmyra", "I live in Quixelburg")
        await mind.toolbox.call("get_time", call_id="for-zelmyra-1")
        told = await mind.memory.erase("Zelmyra")
        assert [one["what"] for one in told["kept"]] == ["audit rows"] and traces(home, "zelmyra")


async def test_nothing_is_kept_without_memory(home: Path) -> None:
    async with Mind(robot="none", memory=False).session() as mind:
        assert mind.memory is None
        told = await mind.ask("remember that my favourite colour is zinnoberrot", person="Zelmyra")
        assert told.tool_calls[0].outcome.status == "error" and "--no-memory" in told.text
        await mind.ask("I live in Quixelburg", person="Zelmyra")
        assert traces(home, "zinnober", "quixelburg") == []
    assert traces(home, "zinnober", "quixelburg") == []
