"""`ReplyFilter`: redacts the streamed reply of a model, and corrects false claims of action.

Redacted are API keys and other secrets, and e-mail addresses and numbers that neither this person told nor the web
gave. When the model claims an action that no tool call performed, a correction follows as the next sentence.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from reachy_mind.brains.brain import ToolCall, Turn

WITHHELD_SECRET = "(a secret, which I keep)"  # noqa: S105 -- words, no password
WITHHELD_PRIVATE = "(a private detail, which I keep)"
NOT_DONE = "No, that is not right: I did not do that."
LONGEST_BUFFER = 200

_SECRET = re.compile(
    r"\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|hf_\w{20,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}"
    r"|AIza[\w-]{30,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*)|-----BEGIN [A-Z ]*PRIVATE KEY-----\S*"
)
_PRIVATE = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # an e-mail address
    r"|\+?\(?\d[\d ()./-]{7,}\d"  # a telephone, card or account number
    r"|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b"
)
_OPEN = re.compile(r"(?:\S+|[+(]?\d[\d ()./-]*)$")
"""An unfinished end of the text that may become a secret or a number."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|[\d ]+(?:\.\d+)?")
_I = r"(?<!if )(?<!when )(?<!whether )\bI(?:'ve| have|'m| am)?(?: just| now| already)?"
_CLAIMS: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = tuple(
    (re.compile(rf"{_I} (?:{words})\b", re.IGNORECASE), frozenset(tools))
    for words, tools in (
        ("nodded|nodding", ("nod", "play_move", "express_emotion")),
        ("shook|shaken", ("shake", "play_move", "express_emotion")),
        ("waved|waving", ("wave", "set_antennas", "play_move", "express_emotion")),
        ("danced|dancing", ("dance", "play_move")),
        ("turned (?:left|right|around|my)|looked (?:left|right|up|down)", ("move_head", "rotate", "look_at",
         "look_at_world", "look_at_object", "look_at_sound", "look_at_pixel", "rest", "wake_up")),
        ("took a (?:photo|picture)|taken a (?:photo|picture)|photographed", ("take_photo",)),
        ("set (?:a|the|your) (?:timer|alarm|reminder)", ("set_timer", "set_reminder")),
        ("cancell?ed", ("cancel_timer", "task_cancel", "stop", "stop_dance", "stop_emotion")),
        ("(?:stored|saved|noted) (?:that|this|it)", ("store_memory", "update_user_profile")),
        ("forgot(?:ten)? (?:that|this|it)|deleted|erased", ("forget_memory",)),
        ("searched", ("search_web", "search_memories", "get_weather")),
        ("created (?:a|the|your)(?: new)? tool", ("create_tool",)),
    )
)  # fmt: skip


class ReplyFilter:
    """The filter of one turn. `secrets`: values that are never said."""

    def __init__(self, turn: Turn, secrets: Collection[str] = ()) -> None:
        self._secrets = tuple(secret for secret in secrets if len(secret) >= 8)
        remembered = str(turn.context.get("remembered", ""))
        self._known = " ".join((turn.text, remembered, *(past.said for past in turn.history)))
        self._past_calls = [call for past in turn.history for call in past.calls]
        self._buffer = ""
        self._sentence = ""
        self._said = ""

    def allow(self, words: str) -> None:
        """Don't redact what occurs in this text: it is public."""
        self._known += f" {words}"

    def feed(self, words: str) -> str:
        """Add streamed text. Returns what can be said now: up to the last complete word."""
        self._buffer += words
        found = _OPEN.search(self._buffer) if len(self._buffer) < LONGEST_BUFFER else None
        cut = found.start() if found else len(self._buffer)
        ready, self._buffer = self._buffer[:cut], self._buffer[cut:]
        return self._release(ready)

    def flush(self, calls: Sequence[ToolCall]) -> str:
        """The buffered rest, with a correction if it claims an action that is not among `calls`."""
        ready, self._buffer = self._release(self._buffer), ""
        claimed, self._sentence = self._sentence, ""
        if claims_undone_action(claimed, (*calls, *self._past_calls)):
            return f"{ready} {NOT_DONE}"
        return ready

    def has_withheld(self, text: str) -> bool:
        """Whether the text contains something that must not be said."""
        return self._redact(text) != text

    @property
    def said(self) -> bool:
        return bool(self._said.strip())

    def _release(self, words: str) -> str:
        words = self._redact(words)
        self._sentence += words
        self._said += words
        return words

    def _redact(self, words: str) -> str:
        for secret in self._secrets:
            words = words.replace(secret, WITHHELD_SECRET)
        words = _SECRET.sub(WITHHELD_SECRET, words)
        return _PRIVATE.sub(self._redact_private, words)

    def _redact_private(self, found: re.Match[str]) -> str:
        words = found.group()
        if _DATE.fullmatch(words.strip()) and sum(letter.isdigit() for letter in words) < 9:
            return words
        return words if _normalize(words) in _normalize(self._known) else WITHHELD_PRIVATE


def claims_undone_action(words: str, calls: Iterable[ToolCall]) -> bool:
    """Whether the words claim an action that none of these calls performed."""
    done = {call.name for call in calls if call.outcome.status in ("ok", "started")}
    return any(pattern.search(words) and not tools & done for pattern, tools in _CLAIMS)


def _normalize(words: str) -> str:
    return re.sub(r"[\s()./-]", "", words).casefold()
