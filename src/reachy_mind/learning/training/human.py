"""`HumanJudge`: waits for a person after each practised episode, and credits what they say to the episode they mean.

Feedback names its episode, or its time tells: said while an episode ran, it is about the decisions just before it (from
0.2 to 4 s, as in TAMER); said after its end, about all of it. Late feedback counts as long as the learner keeps the
episode. A demonstration ends the wait too. Without either within `wait_s` the training goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from reachy_mind.learning.algorithms.practice import Credit, PractisedEpisode
from reachy_mind.learning.training.episode_feedback import EpisodeFeedback, EpisodeFeedbackFile, episode_id
from reachy_mind.learning.training.progress import ProgressFile

WAIT_S = 30.0
POLL_S = 0.1
EARLIEST_S, LATEST_S = 0.2, 4.0
"""How long before it is given feedback may be about a decision."""


@dataclass(frozen=True)
class _Shown:
    number: int
    began: float
    ended: float
    decisions: int


class HumanJudge:
    """Call it with the episodes that are over. `pause` waits a moment, and takes in what is typed meanwhile;
    `demonstrated` says whether a new demonstration has come."""

    def __init__(
        self,
        folder: Path,
        *,
        tell: Callable[[str], None],
        pause: Callable[[float], None] = time.sleep,
        wait_s: float = WAIT_S,
        clock: Callable[[], float] = time.time,
        demonstrated: Callable[[], bool] = lambda: False,
    ) -> None:
        self._run, self.tell, self._pause, self._wait_s, self._clock = folder.name, tell, pause, wait_s, clock
        self._feedback = EpisodeFeedbackFile(folder)
        self._feedback.skip()
        self._demonstrated = demonstrated
        self._progress: ProgressFile | None = None
        self._shown: list[_Shown] = []
        self._began = clock()
        self.utterances = 0

    def reports_to(self, progress: ProgressFile) -> None:
        """Say in the progress of the run what is shown, and that it waits."""
        self._progress = progress

    def announce(self, scene: str) -> None:
        """Tell what the episode that begins is about."""
        self.tell(scene)
        if self._progress is not None:
            self._progress.shows(scene)

    def __call__(self, episodes: Sequence[PractisedEpisode]) -> Iterable[Credit]:
        ended = self._clock()
        self._shown += [_Shown(each.number, self._began, ended, len(each.progress)) for each in episodes]
        for each in episodes:
            how = "done" if each.success else "not done"
            self.tell(f"{episode_id(self._run, each.number)}: {how} after {len(each.progress)} decisions. How was it?")
        if self._progress is not None and episodes:
            last = episodes[-1].number
            self._progress.waits(episode_id(self._run, last), last + 1)
        wanted = {each.number for each in episodes}
        credits_: list[Credit] = []
        while not wanted & {credit.episode for credit in credits_} and not self._demonstrated():
            credits_ += self._new_credits()
            if self._clock() >= ended + self._wait_s:
                break
            self._pause(POLL_S)
        if self._progress is not None:
            self._progress.goes_on()
        self._began = self._clock()
        return credits_

    def _new_credits(self) -> list[Credit]:
        found = [credit for each in self._feedback.new() if (credit := self._credit(each)) is not None]
        self.utterances += len(found)
        return found

    def _credit(self, feedback: EpisodeFeedback) -> Credit | None:
        """None for what was said before the first episode."""
        if feedback.episode is not None:
            return Credit(feedback.episode, feedback.reward)
        at = feedback.at
        shown = next((each for each in reversed(self._shown) if each.began <= at), None)
        if shown is None:
            return None
        if at >= shown.ended:
            return Credit(shown.number, feedback.reward)
        per_s = shown.decisions / max(1e-6, shown.ended - shown.began)
        first, end = ((at - shown.began - ago) * per_s for ago in (LATEST_S, EARLIEST_S))
        return Credit(shown.number, feedback.reward, max(0, int(first)), max(1, round(end)))
