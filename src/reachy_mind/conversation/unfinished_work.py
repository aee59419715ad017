"""`unfinished_work`: what the last run of a mind left unfinished, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reachy_mind import log

if TYPE_CHECKING:
    from reachy_mind.memory.conversations import Conversations
    from reachy_mind.tools.factory import ToolboxParts

_log = log.get(__name__)


async def unfinished_work(parts: ToolboxParts, conversations: Conversations) -> list[str]:
    """Calls, tasks and answers that a crash cut off. Returned once; for the owner process only."""
    work, cut = await parts.interrupted(), await conversations.recover()
    if work or cut:  # without what people said
        _log.warning("the last run left work unfinished", interrupted=work, answers=len(cut))
    return work + [f"the answer to {turn.said[:60]!r}" for turn in cut]
