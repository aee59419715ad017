"""`Recall`: what memory may do in a turn, by the rules and by the speaker's scopes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reachy_mind import log
from reachy_mind.brains.brain import Turn
from reachy_mind.errors import MindError
from reachy_mind.memory.memory import Memory
from reachy_mind.tools.act_table import has_scope
from reachy_mind.tools.acts import RECALL, REMEMBER
from reachy_mind.tools.toolbox import Toolbox

_log = log.get(__name__)


@dataclass(frozen=True)
class Recall:
    toolbox: Toolbox
    memory: Memory | None

    def may_remember(self, scopes: frozenset[str] | None) -> bool:
        """Whether what was said may be remembered without a tool call."""
        return has_scope(scopes, "control") and self.toolbox.decisions.free(REMEMBER)

    async def recalled(self, turn: Turn, scopes: frozenset[str] | None) -> dict[str, Any]:
        """What memory knows about the person who speaks. Without memory there is an answer too.

        Whoever may not read the memory by a route is not told by a reply either: anybody can claim a name. Where a rule
        about reading it asks or forbids, the memory tools are the only way.
        """
        if self.memory is None:
            return {"memory": "off"}
        if not has_scope(scopes, "read") or not self.toolbox.decisions.free(RECALL):
            return {}
        try:
            remembered = await self.memory.turn_memory.recall(turn.text, turn.person, turn.conversation)
        except MindError as error:
            _log.warning("nothing could be recalled", reason=error.message)
            return {}
        return {"remembered": remembered} if remembered else {}
