"""`open_records`: conversations, memory and feedback of a mind, wired to its toolbox."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from reachy_mind.brains.reflex.vocabulary import vocabulary
from reachy_mind.config.configuration import Configuration
from reachy_mind.conversation.past_turns import earlier
from reachy_mind.events import Bus
from reachy_mind.feedback.factory import Feedback, open_feedback
from reachy_mind.memory.conversations import Conversations
from reachy_mind.memory.factory import open_memory
from reachy_mind.memory.memory import Memory
from reachy_mind.storage.database import IN_MEMORY, Database
from reachy_mind.tools.factory import ToolboxParts


@dataclass(frozen=True)
class Records:
    """What a mind keeps of what is said. No `memory` in a mind that is not to remember."""

    conversations: Conversations
    memory: Memory | None
    feedback: Feedback


async def open_records(
    configuration: Configuration, parts: ToolboxParts, bus: Bus, stack: contextlib.AsyncExitStack, *, remembers: bool
) -> Records:
    """Open them until `stack` closes, in the database of the toolbox; without `remembers` nothing is written there."""
    database = parts.database if remembers else await stack.enter_async_context(Database(IN_MEMORY))
    conversations, memory = Conversations(database), None
    if remembers:
        memory = await open_memory(configuration, database, stack)
        memory.erasure.everyday_words = vocabulary
        memory.erasure.afterwards += [parts.toolbox.forget_ended, parts.tasks.drop_erased]
    feedback = await open_feedback(configuration, database, bus, parts.toolbox, earlier(conversations), stack)
    if memory is not None:
        memory.erasure.afterwards += [feedback.turn_feedback.forget_unread, feedback.service.load]
    return Records(conversations, memory, feedback)
