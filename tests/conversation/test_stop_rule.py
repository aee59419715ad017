"""A stop acts first; a correction that sounds like one does not stop a robot that rests."""

from __future__ import annotations

import pytest

from reachy_mind.conversation.stop_rule import is_stop_now


@pytest.mark.parametrize("said", ["stop", "Stop!", "halt", "arrête", "para", "freeze", "help, it hurts"])
def test_words_of_a_stop_are_one_at_any_time(said: str) -> None:
    assert is_stop_now(said, busy=False) and is_stop_now(said, busy=True)


@pytest.mark.parametrize("said", ["Further down, please.", "that's too far down", "too close", "slow down"])
def test_a_correction_that_sounds_like_a_stop_is_one_only_while_the_robot_acts(said: str) -> None:
    assert is_stop_now(said, busy=True) and not is_stop_now(said, busy=False)


@pytest.mark.parametrize("said", ["a bit lower", "look left", "too fast", "nice"])
def test_other_words_are_none(said: str) -> None:
    assert not is_stop_now(said, busy=True)


@pytest.mark.parametrize("said", ["push everything", "stage everything"])
def test_work_that_sounds_like_a_stop_is_one_only_while_there_is_something_to_stop(said: str) -> None:
    assert is_stop_now(said, busy=False) and is_stop_now(said, busy=True, is_work=lambda _: True)
    assert not is_stop_now(said, busy=False, is_work=lambda _: True)
    assert is_stop_now("stop", busy=False, is_work=lambda _: True)
