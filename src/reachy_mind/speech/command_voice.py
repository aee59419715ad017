"""A voice that is a command of the system, run once for each sentence.

The text goes to its standard input and the sound comes back through a file in memory, or where the system has none
through one that is removed at once: neither is ever part of a command line, and nothing is left on the disk. A program
whose sound is not needed any more is killed at once.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncGenerator, Callable

from reachy_mind.body import wav
from reachy_mind.errors import InvalidParameter, NotReady, TimedOut, WorkerError
from reachy_mind.speech import audio_format
from reachy_mind.speech.moods import NEUTRAL, Mood
from reachy_mind.speech.voices import check_libraries, utterances
from reachy_mind.system.scratch_file import ScratchFile

TIMEOUT_S = 20.0
"""For one sentence, of which the slowest takes a tenth of a second."""
WARM_UP = "Hello."


class CommandVoice:
    """`command(file, speed)` is the command line that reads text from standard input and writes a WAV file; at a
    `speed` of 2 it speaks twice as fast as it usually does.

    Raises MissingExtra when a library is missing that every voice needs.
    """

    def __init__(
        self,
        name: str,
        languages: tuple[str, ...],
        command: Callable[[str, float], list[str]],
        *,
        language: str,
        hint: str,
    ) -> None:
        check_libraries()
        self.name, self.languages, self.has_moods = name, languages, True
        self._command = command
        self._language = language
        self._hint = hint

    async def synthesize(self, text: str, mood: Mood = NEUTRAL) -> AsyncGenerator[bytes, None]:
        for sentence in utterances(text, self._language):
            if pcm := await self._say(sentence, mood):
                yield pcm

    async def warm(self) -> None:
        await self._say(WARM_UP, NEUTRAL)

    async def aclose(self) -> None:
        """There is nothing to end: a program lives for one sentence."""

    async def _say(self, sentence: str, mood: Mood) -> bytes:
        with ScratchFile("speech.wav") as file:
            await self._run(self._command(file.path, mood.engine_speed), sentence, file)
            return await asyncio.to_thread(self._sound, file, mood)

    async def _run(self, command: list[str], sentence: str, file: ScratchFile) -> None:
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                **file.options(),
            )
        except OSError as error:
            raise NotReady(f"{command[0]} can't be started: {error.strerror}", hint=self._hint) from None
        try:
            async with asyncio.timeout(TIMEOUT_S):
                _, said = await process.communicate(sentence.encode(errors="replace"))
        except TimeoutError:
            raise TimedOut(f"{command[0]} took longer than {TIMEOUT_S:g} s for one sentence") from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            reason = said.decode(errors="replace").strip()[-300:] or f"exit status {process.returncode}"
            raise WorkerError(f"{command[0]} failed: {reason}", hint=self._hint)

    def _sound(self, file: ScratchFile, mood: Mood) -> bytes:
        data = file.content()
        try:
            pcm = wav.read_pcm(data) if data else b""
        except InvalidParameter as error:
            raise WorkerError(f"{self.name} wrote no sound: {error}", hint=self._hint) from None
        return pcm if mood == NEUTRAL else audio_format.coloured(audio_format.to_floats(pcm), audio_format.RATE, mood)


def installed(program: str) -> bool:
    return shutil.which(program) is not None
