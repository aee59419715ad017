"""`Hearing`: what one conversation knows that helps to understand its speech, and what is done about unsure words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from reachy_mind import log
from reachy_mind.brains.brain import Past
from reachy_mind.conversation.ask_back import AskBack, Decision
from reachy_mind.conversation.hearing_judge import HearingJudge
from reachy_mind.conversation.known_words import KnownWords
from reachy_mind.errors import MindError
from reachy_mind.speech.heard import Heard
from reachy_mind.speech.transcriber import Alternative
from reachy_mind.tools.act_table import changes_something

if TYPE_CHECKING:
    from reachy_mind.conversation.voice import VoiceParts

_log = log.get(__name__)


class Hearing:
    """`remembers`: whether names and facts may be expected that the mind remembers. `pending`: whether a yes or no is
    awaited."""

    def __init__(
        self, parts: VoiceParts, conversation: str, language: str, *, remembers: bool, pending: Callable[[], bool]
    ) -> None:
        self._turns, self._conversation, self._pending = parts.turns, conversation, pending
        self._ask_back = AskBack(language, lambda tools: changes_something(parts.registry, tools))
        self._judge = HearingJudge(parts.brain, conversation, self._past, self._expects_answer)
        self._known_words = KnownWords(
            lambda: parts.registry, lambda: parts.turns.profile, parts.memory if remembers else None, self._past
        )

    async def expected_words(self) -> Sequence[str]:
        try:
            return await self._known_words.now()
        except MindError as error:
            _log.warning("the ears expect no words", reason=error.message)
            return ()

    async def chosen(self, alternatives: Sequence[Alternative]) -> Alternative:
        """The one that makes the most sense now."""
        return (await self._judge.judge(alternatives)).chosen

    async def decision(self, text: str, heard: Heard, *, called: bool) -> Decision:
        """What to do about these words; `called`: whether they are certainly for the robot."""
        judgement = await self._judge.judge(heard.alternatives) if heard.alternatives else None
        return self._ask_back.decide(text, judgement, called=called)

    async def _past(self) -> Sequence[Past]:
        """The last turns of the conversation; none before the first, or while they can't be read."""
        try:
            return await self._turns.past(self._conversation)
        except MindError:
            return ()

    def _expects_answer(self) -> bool:
        return self._pending() or self._ask_back.asking
