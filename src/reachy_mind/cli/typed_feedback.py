"""`TypedFeedback`: what a person types while a run practises, taken in at once, so that its time tells the episode.

great                  about the episode that runs, or the one that ended last
withme:5 bad           about the episode of this id, also later
stop                   ends the training, also in the middle of an episode
"""

from __future__ import annotations

import re
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TextIO

from reachy_mind.cli.learn import tell
from reachy_mind.errors import MindError
from reachy_mind.feedback.reader import FeedbackReader
from reachy_mind.learning.training.episode_feedback import EpisodeFeedback, EpisodeFeedbackFile, episode_id
from reachy_mind.system.stop_signals import interrupt_main

MOST_CHARACTERS = 4000
SURE = 0.5
"""Confidence below which words are no feedback."""


class TypedFeedback:
    """Reads lines in a thread, which ends with the program: a line that nobody types can't be waited for otherwise."""

    def __init__(self, reader: FeedbackReader, folder: Path, lines: TextIO | None = None) -> None:
        self._reader, self._run = reader, folder.name
        self._file = EpisodeFeedbackFile(folder)
        self._lines = lines if lines is not None else sys.stdin
        self._named = re.compile(rf"(?:{re.escape(self._run)}:|episode #?)(\d{{1,9}})\b[\s:,]*", re.IGNORECASE)

    def start(self) -> None:
        threading.Thread(target=self._listen, name="typed feedback", daemon=True).start()

    def take(self, line: str) -> None:
        """One line. A stop interrupts the program, as Ctrl-C does."""
        at, said = time.time(), line.strip()[:MOST_CHARACTERS]
        named = self._named.match(said)
        words = said[named.end() :] if named else said
        if not words:
            return
        reading = self._reader.read(words)
        if reading.stop:
            tell("Stopped. The same command goes on from the last evaluation.")
            interrupt_main(signal.SIGINT)
            return
        if reading.confidence < SURE:
            tell('  I can\'t tell whether that is praise or blame: say "good", "bad", or 1 to 10 of 10')
            return
        number = int(named[1]) if named else None
        self._file.append(EpisodeFeedback(reading.reward, number, at, said))
        about = f"{episode_id(self._run, number)}: " if number is not None else ""
        tell(f"  {about}understood as {reading.reward:+.2f}")

    def _listen(self) -> None:
        for line in self._lines:
            try:
                self.take(line)
            except MindError as error:
                tell(f"  {error.message}")
