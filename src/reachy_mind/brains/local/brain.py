"""`LocalBrain`: talks with a small language model. It is given no tools: what to do is decided by `talk_or_act`.

talk(turn, said)            answers in words, streamed
choose(said, options)       picks one of a few things that may have been meant, or none
judge(turn, condition, so_far) tells whether a condition holds, from what was said and done in this turn
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from reachy_mind import log
from reachy_mind.brains.brain import Brain, BrainUnavailable, Done, Said, Thought, Turn, Unanswered
from reachy_mind.brains.local import prompt
from reachy_mind.brains.local.reply_language import expected, is_in
from reachy_mind.brains.local.reply_text import ReplyText
from reachy_mind.brains.local.server_chat import ServerChat
from reachy_mind.brains.reply_filter import ReplyFilter
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError
from reachy_mind.models.chat_stream import TokenUsage
from reachy_mind.models.completion import Message
from reachy_mind.models.llama import Llama

MOST_TOKENS, MOST_TOKENS_LONG = 96, 200
"""Of an answer, and of a story or an explanation."""
FIRST_TOKEN_S, NEXT_TOKEN_S = 45.0, 15.0
"""How long the model may take to begin, and to go on, before the turn fails."""
CHOICE_TOKENS = 3
REPEAT_PENALTY = 1.12
"""Of free text: without it, greedy decoding of a small model ends in loops."""
LEAST_CHECKED = 40
"""Characters of an answer in another language than English before it is passed on: enough to tell the language."""

_log = log.get(__name__)


class ChatModel(Protocol):
    """A language model that answers messages."""

    name: str

    def stream(
        self, messages: Sequence[Message], *, max_tokens: int = 256, repeat_penalty: float | None = None
    ) -> AsyncGenerator[str | TokenUsage, None]:
        """The answer in pieces, then its usage. Raises MindError."""
        ...

    async def prefill(self, messages: Sequence[Message]) -> None:
        """Load the model and what every prompt begins with. Raises MindError."""
        ...

    async def aclose(self) -> None: ...


@dataclass
class _Usage:
    tokens_in: int = 0
    tokens_out: int = 0

    def add(self, used: TokenUsage) -> None:
        self.tokens_in += used.tokens_in
        self.tokens_out += used.tokens_out


@dataclass
class _Answer:
    """An answer while it comes."""

    language: str
    text: ReplyText = field(default_factory=ReplyText)
    held: str = ""
    """What is not passed on until the language is known to be right."""
    passed: bool = False


class LocalBrain:
    """One per mind. `secrets`: values that are never said; `clock`: the local time, for tests."""

    name = "local"

    def __init__(
        self,
        model: ChatModel,
        secrets: frozenset[str] = frozenset(),
        clock: Callable[[], datetime] = lambda: datetime.now().astimezone(),
    ) -> None:
        self._model, self._secrets, self._clock = model, secrets, clock
        self._preparing: asyncio.Task[None] | None = None
        self.used = _Usage()
        """Tokens since the last call of `take_usage`."""

    @property
    def ready(self) -> bool:
        """Whether the model is loaded and has read its prompt."""
        return self._preparing is not None and self._preparing.done() and not self._preparing.cancelled()

    async def prepare(self, turn: Turn) -> None:
        """Load the model and the fixed part of its prompt. Raises BrainUnavailable."""
        if self._preparing is None or (self._preparing.done() and self._preparing.exception() is not None):
            self._preparing = asyncio.create_task(self._prefill(turn), name="prefill")
        await asyncio.shield(self._preparing)

    async def _prefill(self, turn: Turn) -> None:
        try:
            await self._model.prefill([{"role": "system", "content": prompt.system(turn)}])
        except MindError as error:
            raise _unavailable(error) from error

    async def aclose(self) -> None:
        if self._preparing is not None and not self._preparing.done():
            self._preparing.cancel()
            await asyncio.wait([self._preparing])
        await self._model.aclose()

    async def think(self, turn: Turn) -> AsyncGenerator[Thought, None]:
        """Talks about the whole turn. Raises BrainUnavailable."""
        async with contextlib.aclosing(self.talk(turn, turn.text)) as words:
            async for said in words:
                yield said
        used = self.take_usage()
        yield Done(tokens_in=used.tokens_in, tokens_out=used.tokens_out, brain=self.name)

    def take_usage(self) -> _Usage:
        """The tokens that were used since the last call."""
        used, self.used = self.used, _Usage()
        return used

    async def talk(
        self, turn: Turn, said: str, *, language: str = "en", done: Sequence[str] = (), known: Sequence[str] = ()
    ) -> AsyncGenerator[Said, None]:
        """Answers something that was said. `done`: what was said and done about the rest of the turn; `known`: what
        memory has about the question.

        Raises BrainUnavailable when the model fails, Unanswered when nothing can be said.
        """
        language = expected(said, language)
        asked = prompt.messages(turn, said, now=self._clock(), language=language, done=done, known=known)
        most = MOST_TOKENS_LONG if prompt.is_long(said) else MOST_TOKENS
        filtered = ReplyFilter(turn, self._secrets)
        for attempt in (asked, _insisting(asked, language)):
            answer = _Answer(language)
            async with contextlib.aclosing(self._pieces(attempt, most, answer)) as pieces:
                async for piece in pieces:
                    if words := filtered.feed(piece):
                        yield Said(words)
            if answer.passed:
                if words := filtered.flush(()):
                    yield Said(words)
                return
            _log.warning("the answer was empty or in the wrong language", model=self._model.name, language=language)
        raise Unanswered("I have no good answer to that.", hint="say it in other words")

    async def _pieces(self, asked: Sequence[Message], most: int, answer: _Answer) -> AsyncGenerator[str, None]:
        """What can be said of an answer, as it comes; nothing when it is empty or in the wrong language."""
        cut = False
        async with contextlib.aclosing(self._stream(asked, most)) as pieces:
            async for piece in pieces:
                if isinstance(piece, TokenUsage):
                    cut = piece.cut
                elif words := _checked(answer, answer.text.feed(piece)):
                    yield words
                if answer.text.ended:
                    break
        rest = answer.held if answer.text.ended and not answer.passed else answer.held + answer.text.finish(cut=cut)
        if rest.strip() and (answer.passed or is_in(rest, answer.language)):
            answer.passed = True
            yield rest

    async def _stream(self, asked: Sequence[Message], most: int) -> AsyncGenerator[str | TokenUsage, None]:
        """The pieces of an answer, with a limit for each. Raises BrainUnavailable."""
        pieces = self._model.stream(asked, max_tokens=most, repeat_penalty=REPEAT_PENALTY)
        limit = FIRST_TOKEN_S
        try:
            async with contextlib.aclosing(pieces):
                while True:
                    async with asyncio.timeout(limit):
                        piece = await anext(pieces, None)
                    if piece is None:
                        return
                    limit = NEXT_TOKEN_S
                    if isinstance(piece, TokenUsage):
                        self.used.add(piece)
                    yield piece
        except TimeoutError:
            raise BrainUnavailable("My language model does not answer.", hint=f"{self._model.name} hangs") from None
        except MindError as error:
            raise _unavailable(error) from error

    async def choose(self, said: str, options: Sequence[str]) -> int | None:
        """Which of a few things was asked for, the first that fits; None for none of them. Raises BrainUnavailable."""
        for place, option in enumerate(options):
            if await self._yes(prompt.choice(said, option)):
                return place
        return None

    async def judge(self, turn: Turn, condition: str, so_far: Sequence[str]) -> bool | None:
        """Whether a condition holds after what was said and done; None when it can't be told."""
        return await self._yes(prompt.condition(turn.text, condition, so_far))

    async def _yes(self, asked: Sequence[Message]) -> bool | None:
        """The model's yes or no; None for anything else."""
        written = ""
        async with contextlib.aclosing(self._stream(asked, CHOICE_TOKENS)) as pieces:
            async for piece in pieces:
                written += piece if isinstance(piece, str) else ""
        word = written.strip(" \"'.,!\n").casefold()
        return True if word.startswith("yes") else False if word.startswith("no") else None


def _checked(answer: _Answer, words: str) -> str:
    """The words, once it is clear that they are in the right language."""
    if answer.passed:
        return words
    answer.held += words
    least = 1 if answer.language in ("en", "") else LEAST_CHECKED
    if len(answer.held.strip()) < least:
        return ""
    if not is_in(answer.held, answer.language):
        answer.text.ended = True
        return ""
    answer.passed, ready, answer.held = True, answer.held, ""
    return ready


def _insisting(asked: Sequence[Message], language: str) -> list[Message]:
    """The same question, asked again after an answer that could not be used."""
    *before, last = asked
    wanted = prompt.ANSWER_IN.get(language, "Answer in English.")
    return [*before, {"role": "user", "content": f"{last['content']}\n\n({wanted} One sentence.)"}]


def _unavailable(error: MindError) -> BrainUnavailable:
    hint = f"{error.message}; {error.hint}" if error.hint else error.message
    return BrainUnavailable("The model I think with on this machine failed me.", hint=hint)


def make(configuration: Configuration) -> Brain:
    """Build the brain: on the model of a server where the settings have one, else on the pulled model.

    Raises AssetError when no model was pulled, MissingExtra without its runtime.
    """
    openai = configuration.settings.openai
    if openai.url and openai.model:
        key = openai.api_key.get_secret_value() if openai.api_key else ""
        return LocalBrain(ServerChat(openai.model, openai.url, key, openai.timeout_s), configuration.secrets())
    return LocalBrain(Llama.of(configuration), configuration.secrets())
