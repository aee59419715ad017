"""How the benchmark of keywords counts."""

from __future__ import annotations

import numpy as np

from reachy_mind.bench.keywords import LEAD, KeywordTally, _count, _over_voice, _placed
from reachy_mind.learning.keywords.clips import SpokenItem, SpokenLine

RATE = 16000
SOUND = np.asarray(9000 * np.sin(np.arange(8000) / 5), np.int16)
STOP, OTHER = (SpokenItem(SpokenLine(kind, kind), "a voice", SOUND) for kind in ("stop", "sentence"))
END = 2 * (LEAD + len(SOUND))


def counted(item: SpokenItem, *heard: tuple[str, int]) -> KeywordTally:
    tally = KeywordTally()
    sound, last = _placed(item)
    _count(tally, item, last, bytes(2 * len(sound)), heard, 0.01)
    return tally


def test_a_keyword_counts_when_it_was_recognised_in_time():
    assert counted(STOP, ("stop", END + 2 * RATE // 5 - 2000)).missed == 0
    assert counted(STOP, ("stop", END + RATE)).missed == 1
    assert counted(STOP, ("wait", END)).missed == 1 and counted(STOP, ("wait", END)).false == 1
    (delay,) = counted(STOP, ("stop", END + 3200)).delays_s
    assert abs(delay - 0.1) < 0.03


def test_what_is_heard_in_other_words_is_false():
    tally = counted(OTHER, ("stop", END), ("wait", END))
    assert (tally.said, tally.others, tally.false) == (0, 1, 2)


def test_over_its_own_voice_the_person_is_left_and_the_robot_is_not():
    robot = np.asarray(np.random.default_rng(2).normal(0, 0.1, 4 * RATE), np.float32)
    sound, last = _placed(STOP)
    heard = _over_voice(robot, 0.0, sound, seed=1)
    before = float(np.sqrt(np.mean(heard[LEAD // 2 : LEAD - 1600] ** 2)))
    person = float(np.sqrt(np.mean(heard[LEAD + 3200 : last] ** 2)))
    assert len(heard) == len(sound) and person > 10 * before
