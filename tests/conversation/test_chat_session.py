"""A conversation of one client: its first word may be a stop, whatever state the disk is in."""

from __future__ import annotations

import sqlite3

from reachy_mind.conversation.chat_session import ChatSession
from reachy_mind.conversation.events import InTurn
from reachy_mind.conversation.response import Response
from reachy_mind.mind import Mind


async def test_a_stop_as_the_first_word_is_done_although_nothing_can_be_saved() -> None:
    async with Mind(robot="none").session() as mind, ChatSession(mind, "page") as session:

        def only_read(db: sqlite3.Connection) -> None:
            db.execute("PRAGMA query_only=1")

        await mind.conversations._database.read(only_read)
        session.say("stop")
        async for event in session.events():
            assert isinstance(event, InTurn), event
            if isinstance(event.event, Response):
                assert [call.name for call in event.event.tool_calls] == ["stop"]
                break
