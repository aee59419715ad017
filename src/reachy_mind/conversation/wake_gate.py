"""`WakeGate`: whether what was heard is said to the robot (`speech.wake`: wake word, name, push to talk or always)."""

from __future__ import annotations

import math
import time

from reachy_mind.brains.stop_words import is_stop
from reachy_mind.config.settings import SpeechSettings
from reachy_mind.speech.heard import Heard
from reachy_mind.speech.phrases import after_name, after_word

AWAKE_S = 30.0
"""After the last words of a conversation the robot need not be called again for this time."""
WAKE_WORD_ONLY_S = 0.1
"""A voice that ends sooner than this after the wake word was detected said nothing more. Of synthetic voices, seven
that said only the word ended up to 0.33 s before its detection, none after; those that went on with "stop" ended 0.17 s
after it, or later."""


class WakeGate:
    """`always_awake`: everything is said to the robot, whatever the settings say."""

    def __init__(self, settings: SpeechSettings, *, always_awake: bool = False) -> None:
        self._settings, self._always_awake = settings, always_awake
        self._woken_at = self._awake_until = -math.inf

    @property
    def awake(self) -> bool:
        """Whether what is said now is said to the robot, without calling it first."""
        needs_call = self._settings.wake in ("name", "word") and not self._always_awake
        return not needs_call or time.monotonic() < self._awake_until

    @property
    def by_word(self) -> bool:
        """Whether it is to be called by a wake word."""
        return self._settings.wake == "word" and not self._always_awake

    def woken(self, at: float) -> None:
        """The wake word was heard, at that monotonic time."""
        self._woken_at, self._awake_until = at, max(self._awake_until, at + AWAKE_S)

    def stay_awake(self) -> None:
        """A conversation is under way: listen for some more time without being called."""
        self._awake_until = time.monotonic() + AWAKE_S

    def addressed(self, heard: Heard) -> str | None:
        """The words said to the robot, empty when it was only called; None when the words are not for it. A stop is
        always for it."""
        if self._settings.wake == "name" and (called := after_name(heard.text)) is not None:
            return called
        if not self.awake:
            return heard.text if is_stop(heard.text) else None
        if self._settings.wake == "word" and self._woken_at >= heard.began_at:
            return self._after_wake_word(heard)
        return heard.text

    def called(self, heard: Heard) -> bool:
        """Whether these words are certainly for the robot: it need not be called, or was called with them."""
        if self._always_awake or self._settings.wake not in ("name", "word"):
            return True
        by_word = self._settings.wake == "word" and self._woken_at >= heard.began_at
        return by_word or (self._settings.wake == "name" and after_name(heard.text) is not None)

    def _after_wake_word(self, heard: Heard) -> str:
        """The words after the wake word; by its time, when speech to text misheard it."""
        followed = after_word(heard.text, self._settings.wake_word)
        if followed is not None:
            return followed
        only_called = 0 < heard.ended_at < self._woken_at + WAKE_WORD_ONLY_S
        return "" if only_called else heard.text
