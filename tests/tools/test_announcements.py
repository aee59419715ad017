"""Reminders reach somebody: what fires while nobody is there is kept, told to whoever comes next, and listed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.conversation.chat_session import ChatSession
from reachy_mind.events import Announced, Bus
from reachy_mind.mind import Mind
from reachy_mind.storage.database import Database
from reachy_mind.tools.announcements import Announcement, missed_sentence
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import Outcome
from reachy_mind.tools.tasks import TaskHandle, Tasks
from tests.server.served import calling, serving, socket
from tests.tools.builtin.clock import NOON
from tests.waiting import until


async def fired(mind: Mind, text: str = "feed the cat", **more: Any) -> None:
    """A reminder that is due now, set without a session; the mind has noticed."""
    mind.announce()
    await mind.timers.add("reminder", time.time(), text, **more)

    async def noticed() -> bool:
        return any(text in one.text for one in (await mind.timers.announcements.listed())[0])

    await until(noticed)


async def missed(mind: Mind) -> list[str]:
    return [one.text for one in await mind.timers.announcements.missed()]


async def test_who_speaks_next_is_told_once_and_it_stays_listed() -> None:
    async with Mind(robot="none").session() as mind, calling(mind) as http:
        await fired(mind)
        waiting = (await http.get("announcements", params={"missed": True})).json()
        assert [one["text"] for one in waiting["announcements"]] == ["Reminder: feed the cat"] and waiting["total"] == 1
        assert await missed(mind), "reading a list is not being told"
        first = (await http.post("chat", json={"message": "hello"})).json()["response"]
        assert "You missed something while nobody was here." in first and "feed the cat" in first
        assert "feed the cat" not in (await http.post("chat", json={"message": "hello again"})).json()["response"]
        [kept] = (await http.get("announcements")).json()["announcements"]
        assert kept["told_by"] == "turn" and kept["told_at"]
        assert (await http.get("announcements", params={"missed": True})).json()["total"] == 0


@pytest.mark.parametrize(
    "question", ["did I miss a reminder?", "what did I miss?", "did I miss anything while I was away?"]
)
async def test_who_asks_for_what_they_missed_hears_it_once_and_can_ask_again(question: str) -> None:
    async with Mind(robot="none").session() as mind:
        await fired(mind)
        told = await mind.ask(question)
        assert told.text.count("feed the cat") == 1 and not await missed(mind)
        assert [call.name for call in told.tool_calls] == ["list_timers"]
        assert "feed the cat" in (await mind.ask(question)).text, "what was told a moment ago is no secret"


async def test_it_survives_a_restart_and_a_program_that_lists_it() -> None:
    async with Mind(robot="none").session() as mind:
        await fired(mind)
    async with Mind(robot="none").session() as mind:
        listed = await mind.toolbox.call("list_timers", caller=Caller("program", "mcp"))
        assert "feed the cat" in listed.data["message"] and len(listed.data["missed"]) == 1
        assert await missed(mind), "a program is nobody"
        async with ChatSession(mind, "page") as session:
            events = session.events()
            event = await anext(events)
            assert isinstance(event, Announced) and event.text.startswith("Missed, at ")
            assert "feed the cat" in event.text


async def test_a_page_that_opens_shows_it_and_a_program_without_a_person_does_not_take_it() -> None:
    async with Mind(robot="none").session() as mind, serving(mind) as place:
        await fired(mind)
        async with socket(place, query="?channel=false") as program:
            assert "feed the cat" in (await program.say("hello"))["reply"], "what it says is for a person"
        await fired(mind, "water the plants")
        async with socket(place, query="?channel=false"):
            pass
        assert await missed(mind) == ["Reminder: water the plants"]
        async with socket(place) as page:
            assert "water the plants" in (await page.until("announced"))["text"]
            await until(lambda: _none(mind))
            assert "water the plants" not in (await page.say("hello"))["reply"]


async def test_a_guest_who_may_not_read_is_told_nobodys_reminders_and_takes_none_away() -> None:
    guest = frozenset({"talk", "confirm"})
    async with Mind(robot="none").session() as mind:
        await fired(mind)
        assert "feed the cat" not in (await mind.ask("hello", scopes=guest)).text
        async with ChatSession(mind, "chat socket", conversation="guests", scopes=guest) as session:
            for theirs in ("", "guests"):
                mind.bus.publish(Announced(text="over", about="timer 1", conversation=theirs))
            event = await anext(session.events())
            assert isinstance(event, Announced) and event.conversation == "guests"
        assert "feed the cat" in (await mind.ask("hello", scopes=frozenset({"talk", "read"}))).text


async def test_who_asks_again_hears_all_of_the_last_ones() -> None:
    async with Mind(robot="none").session() as mind:
        await fired(mind)
        await fired(mind, "water the plants")
        await mind.ask("hello")
        told = (await mind.ask("did I miss a reminder?")).text
        assert "feed the cat" in told and "water the plants" in told


async def _none(mind: Mind) -> bool:
    return not await missed(mind)


async def test_those_who_are_there_are_told_in_time_and_nothing_is_missed() -> None:
    async with Mind(robot="none").session() as mind, serving(mind) as place, socket(place) as page:
        await fired(mind)
        assert (await page.until("announced"))["text"].endswith("feed the cat")
        await until(lambda: _none(mind))


async def test_a_program_that_is_there_for_a_moment_tells_what_came_due_while_nothing_ran() -> None:
    async with Mind(robot="none").session() as mind:
        await mind.timers.add("reminder", time.time() + 0.01, "feed the cat")
    async with Mind(robot="none", owner=False).session() as mind:
        await until(lambda: _overdue(mind))
        assert "feed the cat" in (await mind.ask("hello")).text
        assert "feed the cat" not in (await mind.ask("hello")).text


async def _overdue(mind: Mind) -> bool:
    return all(timer.due_at < time.time() for timer in await mind.timers.waiting())


async def test_the_end_of_a_background_task_is_told_too() -> None:
    async with Mind(robot="none").session() as mind:
        await mind.toolbox.call("background_demo", {"seconds": 1, "background": True})
        await until(lambda: _some(mind))
        assert "You missed something" in (await mind.ask("hello")).text


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (Outcome("ok", {"message": "3 tests passed."}), "3 tests passed."),
        (Outcome("ok", {"message": "2 tests failed:\n  test_a\n  test_b."}), "2 tests failed: test_a test_b."),
        (Outcome("ok", {"message": f"It is built. {'And then some. ' * 40}"}), f"It is built.{' And then some.' * 15}"),
        (Outcome("ok", {"message": "x" * 500}), "x" * 239 + "\u2026"),
        (Outcome("ok", {"rows": 3}), "github exec is done."),
        (Outcome("error", error={"message": "it took\ntoo long"}), "github exec failed: it took too long."),
    ],
)
async def test_what_came_of_a_task_is_said_in_a_line(tmp_path: Path, outcome: Outcome, told: str) -> None:
    async def work(_: TaskHandle) -> Outcome:
        return outcome

    bus = Bus()
    async with Database(tmp_path / "mind.db") as database, Tasks(database, bus) as tasks:
        with bus.subscribe(Announced) as announced:
            task = await tasks.start("github.github_exec", "github exec", "desk", work)
            event = await announced.get()
    assert isinstance(event, Announced) and event.text == told
    assert (event.about, event.conversation) == (f"task {task.id}", "desk")


async def _some(mind: Mind) -> bool:
    return bool(await missed(mind))


def test_many_are_counted_not_read_out() -> None:
    many = [Announcement(str(number), NOON + number, f"Reminder: {number}", "reminder") for number in range(8)]
    told = missed_sentence(many, NOON + 60)
    assert "Reminder: 4." in told and "Reminder: 5" not in told and "And 3 more" in told
    assert missed_sentence([], NOON) == ""
