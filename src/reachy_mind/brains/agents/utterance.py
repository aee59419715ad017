"""`Utterance`: what the model wants to say, word by word, without what should not be said.

Held back: keys and other secrets, and e-mail addresses and numbers of people that this person did not tell, now or
before, and that are not from the web. And who claims to have done what no tool did is corrected in the next sentence.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from reachy_mind.brains.thought import Call, Turn

WITHHELD_SECRET = "(a secret, which I keep)"  # noqa: S105 -- words, no password
WITHHELD_PRIVATE = "(a private detail, which I keep)"
NOT_DONE = "No, that is not right: I did not do that."
LONGEST_HELD = 200

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
"""The end of a text that may go on to be something withheld."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|[\d ]+(?:\.\d+)?")
_WHO = r"(?<!if )(?<!when )(?<!whether )\bI(?:'ve| have|'m| am)?(?: just| now| already)?"
_CLAIMS: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = tuple(
    (re.compile(rf"{_WHO} (?:{words})\b", re.IGNORECASE), frozenset(tools))
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


class Utterance:
    """One turn's words. `secrets` are values that are never said. What is remembered was told by the same person."""

    def __init__(self, turn: Turn, secrets: Collection[str] = ()) -> None:
        self._secrets = tuple(secret for secret in secrets if len(secret) >= 8)
        told = str(turn.context.get("remembered", ""))
        self._known = " ".join((turn.text, told, *(past.said for past in turn.history)))
        self._before = [call for past in turn.history for call in past.calls]
        self._held = ""
        self._sentence = ""
        self._said = ""

    def allow(self, words: str) -> None:
        """What may be said because it is public."""
        self._known += f" {words}"

    def more(self, words: str) -> str:
        """What can be said by now: up to the last word that is complete."""
        self._held += words
        found = _OPEN.search(self._held) if len(self._held) < LONGEST_HELD else None
        cut = found.start() if found else len(self._held)
        ready, self._held = self._held[:cut], self._held[cut:]
        return self._let(ready)

    def rest(self, calls: Sequence[Call]) -> str:
        """What was held back; with a correction, if something was claimed that was not done."""
        ready, self._held = self._let(self._held), ""
        claimed, self._sentence = self._sentence, ""
        if invented(claimed, (*calls, *self._before)):
            return f"{ready} {NOT_DONE}"
        return ready

    def hides(self, text: str) -> bool:
        """Whether there is something in it that must not be said."""
        return self._withheld(text) != text

    @property
    def said(self) -> bool:
        return bool(self._said.strip())

    def _let(self, words: str) -> str:
        words = self._withheld(words)
        self._sentence += words
        self._said += words
        return words

    def _withheld(self, words: str) -> str:
        for secret in self._secrets:
            words = words.replace(secret, WITHHELD_SECRET)
        words = _SECRET.sub(WITHHELD_SECRET, words)
        return _PRIVATE.sub(self._private, words)

    def _private(self, found: re.Match[str]) -> str:
        words = found.group()
        if _DATE.fullmatch(words.strip()) and sum(letter.isdigit() for letter in words) < 9:
            return words
        return words if _plain(words) in _plain(self._known) else WITHHELD_PRIVATE


def invented(words: str, calls: Iterable[Call]) -> bool:
    """Whether somebody who made these calls, now or before, says to have done something else."""
    done = {call.name for call in calls if call.outcome.status in ("ok", "started")}
    return any(pattern.search(words) and not tools & done for pattern, tools in _CLAIMS)


def _plain(words: str) -> str:
    return re.sub(r"[\s()./-]", "", words).casefold()
