"""`Narrator`: the robot explains what it does: aloud where it has a voice, always as text."""

from __future__ import annotations

import asyncio

from reachy_mind.demo.record import DemoRecord
from reachy_mind.errors import MindError
from reachy_mind.mind import Mind
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import ToolError

WORD_S, MOST_READING_S = 0.3, 7.0


class Narrator:
    """`aloud`: speak. `fast`: only show, without waiting until it was spoken or read."""

    def __init__(self, mind: Mind, record: DemoRecord, *, aloud: bool, fast: bool) -> None:
        self._mind, self._record, self._fast = mind, record, fast
        self._aloud = aloud and not fast
        self.voice = self._voice()
        """The name of the robot's voice; empty where it has none."""
        if aloud and not self.voice:
            record.add("note", "There is no voice on this machine, so the robot explains in text only.")

    @property
    def speaks(self) -> bool:
        """Whether what it explains is heard."""
        return self._aloud and bool(self.voice)

    def _voice(self) -> str:
        try:
            return self._mind.speech.mouth().name
        except MindError:
            return ""

    async def narrate(self, text: str) -> None:
        """Explain something, and wait until it was heard or read."""
        self._record.add("narration", text)
        await self.utter(text)

    async def utter(self, text: str) -> None:
        """Say what is shown already, and wait until it was heard or read."""
        if self._fast or not text:
            return
        if self.speaks:
            try:
                await self._mind.act("voice.speak", {"text": text}, Caller("person", "demo"))
                return
            except ToolError as error:
                self._aloud = False
                self._record.add("note", f"The robot explains in text from here on: {error.message}.")
        await asyncio.sleep(min(MOST_READING_S, WORD_S * len(text.split())))
