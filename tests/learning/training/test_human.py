"""Feedback of people on practised episodes: waited for, credited by id and by time, also late."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.errors import InvalidParameter
from reachy_mind.learning.algorithms.practice import Credit, PractisedEpisode
from reachy_mind.learning.training.episode_feedback import (
    EpisodeFeedback,
    EpisodeFeedbackFile,
    episode_id,
    parse_episode_id,
)
from reachy_mind.learning.training.human import HumanJudge
from reachy_mind.learning.training.progress import ProgressFile, read_progress


class Room:
    """A person and a clock: time passes only while the judge waits."""

    def __init__(self, folder: Path) -> None:
        self.now = 1000.0
        self.plans: list[tuple[float, EpisodeFeedback]] = []
        self.file = EpisodeFeedbackFile(folder)
        self.told: list[str] = []
        self.shows_at = float("inf")

    def pause(self, seconds: float) -> None:
        self.now += seconds
        for plan in [plan for plan in self.plans if plan[0] <= self.now]:
            self.plans.remove(plan)
            self.file.append(plan[1])

    def says(self, at: float, reward: float, episode: int | None = None) -> None:
        self.plans.append((at, EpisodeFeedback(reward, episode, at)))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "look-at"
    folder.mkdir()
    return folder


@pytest.fixture
def room(run: Path) -> Room:
    return Room(run)


@pytest.fixture
def judge(run: Path, room: Room) -> HumanJudge:
    return HumanJudge(
        run,
        tell=room.told.append,
        pause=room.pause,
        clock=lambda: room.now,
        demonstrated=lambda: room.now >= room.shows_at,
    )


def practised(number: int, decisions: int = 10) -> list[PractisedEpisode]:
    return [PractisedEpisode(number, (0.1,) * decisions, success=False)]


def test_what_is_said_after_an_episode_is_about_all_of_it(judge: HumanJudge, room: Room) -> None:
    room.says(room.now + 5, 0.8)
    assert list(judge(practised(0))) == [Credit(0, 0.8)]
    assert 1005 <= room.now < 1006
    assert "look-at:0" in room.told[0] and judge.utterances == 1


def test_without_a_word_it_goes_on_after_thirty_seconds(judge: HumanJudge, room: Room) -> None:
    assert list(judge(practised(0))) == []
    assert 1030 <= room.now < 1031


def test_late_feedback_is_credited_to_the_episode_that_it_names(judge: HumanJudge, room: Room) -> None:
    judge(practised(0))
    room.says(room.now + 2, -0.5, episode=0)
    room.says(room.now + 4, 1.0, episode=1)
    assert list(judge(practised(1))) == [Credit(0, -0.5), Credit(1, 1.0)]


def test_what_is_said_while_it_moves_is_about_the_decisions_just_before(judge: HumanJudge, room: Room) -> None:
    began = room.now
    room.file.append(EpisodeFeedback(-0.5, at=began + 6.0))
    room.now = began + 10  # an episode of 100 decisions took ten seconds
    (credit,) = [credit for credit in judge(practised(0, 100)) if credit.episode == 0]
    assert credit == Credit(0, -0.5, 20, 58)


def test_a_demonstration_ends_the_wait(judge: HumanJudge, room: Room) -> None:
    room.shows_at = room.now + 3
    assert list(judge(practised(0))) == []
    assert room.now < 1004


def test_who_looks_on_sees_what_it_waits_for(judge: HumanJudge, room: Room, run: Path) -> None:
    seen = []
    room.says(room.now + 1, 0.5)
    with ProgressFile(run).held(10) as progress:
        judge.reports_to(progress)
        before = room.pause
        judge._pause = lambda seconds: (seen.append(read_progress(run)), before(seconds))[1]
        judge(practised(3))
    assert seen[0] is not None and seen[0].state == "waiting" and "look-at:3" in seen[0].reason


def test_feedback_of_an_earlier_process_is_not_given_again(run: Path, room: Room) -> None:
    room.file.append(EpisodeFeedback(1.0, 0))
    judge = HumanJudge(run, tell=room.told.append, pause=room.pause, clock=lambda: room.now, wait_s=1)
    assert list(judge(practised(0))) == []


def test_a_torn_or_foreign_line_loses_no_other(run: Path) -> None:
    file = EpisodeFeedbackFile(run)
    file.append(EpisodeFeedback(0.5, 1, 10.0, "good"))
    with (run / "feedback.jsonl").open("ab") as raw:
        raw.write(b'{"reward": 7}\n{"reward": 0.')
    file.append(EpisodeFeedback(-0.5, 2, 11.0))
    assert [(each.reward, each.episode) for each in EpisodeFeedbackFile(run).new()] == [(0.5, 1), (-0.5, 2)]


def test_ids_of_episodes() -> None:
    assert parse_episode_id(episode_id("look-at", 12)) == ("look-at", 12)
    assert parse_episode_id("0d9f2c") is None and parse_episode_id("../x:1") is None


def test_feedback_on_a_run_that_there_is_not(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="nobody"):
        EpisodeFeedbackFile(tmp_path / "nobody").append(EpisodeFeedback(1.0))
