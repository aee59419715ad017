"""`Telling`: what a spoken conversation is about to those who watch it, each thing a dict with a `type`.

state {session_id, doing, microphone, reason}
                                           doing: listening, hearing, thinking or speaking; microphone: open, off,
                                           opening or lost
transcription {text, final}                what a person says, so far or all of it
response {text, final, tools, error}       a piece of the answer; the last one is all of it, and only that one has
                                           the tools that were called and the error, if there was one
interrupted {heard}                        the answer was cut short; so much of it was heard
error {code, message, hint}                something could not be understood or said; the conversation goes on
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reachy_mind.errors import NotReady
from reachy_mind.speech.witness import Noticed

Told = dict[str, Any]


class Telling:
    """`told` is called with each. `microphone` says how that is."""

    def __init__(self, conversation: str, told: Callable[[Told], None], microphone: Callable[[], str]) -> None:
        self._conversation, self._told, self._microphone = conversation, told, microphone
        self._hearing = self._thinking = self._speaking = False
        self.trouble = ""
        """Why the microphone is lost."""
        self._failure = ""

    @property
    def doing(self) -> str:
        if self._speaking:
            return "speaking"
        return "thinking" if self._thinking else "hearing" if self._hearing else "listening"

    def is_now(
        self, *, hearing: bool | None = None, thinking: bool | None = None, speaking: bool | None = None
    ) -> None:
        """What has changed; all else is as it was."""
        before = self.doing
        if thinking:
            self._failure = ""
        self._hearing = self._hearing if hearing is None else hearing
        self._thinking = self._thinking if thinking is None else thinking
        self._speaking = self._speaking if speaking is None else speaking
        if self.doing != before:
            self.state()

    def notice(self, noticed: Noticed) -> None:
        """Something that ears or mouth noticed."""
        match noticed.what:
            case "words" if noticed.text:
                self.transcription(noticed.text, final=False)
            case "hearing" | "silent":
                self.is_now(hearing=noticed.what == "hearing")
            case "speaking" | "spoken":
                self.is_now(speaking=noticed.what == "speaking")
            case "cut":
                self._told({"type": "interrupted", "heard": noticed.text})
                self.is_now(speaking=False)

    def failure(self, reason: str) -> None:
        """Of ears, voice or loudspeaker; once in an answer, though each sentence may fail for the same reason."""
        if reason != self._failure:
            self._failure = reason
            self._told({"type": "error", **NotReady(reason, hint="it goes on; see the log").as_dict()})

    def state(self) -> None:
        now = {"doing": self.doing, "microphone": self._microphone(), "reason": self.trouble}
        self._told({"type": "state", "session_id": self._conversation} | now)

    def transcription(self, text: str, *, final: bool) -> None:
        self._told({"type": "transcription", "text": text, "final": final})

    def piece(self, text: str) -> None:
        """Of an answer."""
        self._told({"type": "response", "text": text, "final": False})

    def answer(self, text: str, whole: Told) -> None:
        """All of it; `whole` has tools and error, if there are any."""
        told = {"type": "response", "text": text, "final": True}
        self._told(told | {"tools": whole.get("tools", []), "error": whole.get("error")})
