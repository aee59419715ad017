"""Claims of a result against what the host saw."""

from __future__ import annotations

from typing import Any

import pytest

from reachy_mind.workshop.trial.claims import unfounded

NOTHING = {"pictures": 0, "sentences": 0, "sounds": 0, "moved": False}


@pytest.mark.parametrize(
    "result",
    [
        {"photos_taken": 12},
        {"photos": ["a.jpg", "b.jpg"]},
        {"summary": {"photo_count": 1}},
        {"message": "I took 12 photos."},
        "I have taken 3 pictures of the table.",
        {"status": "success", "message": "12 photos were taken"},
        {"spoken": True},
        {"nods": 2},
        {"waved": "twice"},
    ],
)
def test_what_did_not_happen_is_found(result: Any) -> None:
    assert unfounded(result, NOTHING)


@pytest.mark.parametrize(
    "result",
    [
        None,
        "done",
        {"photos": 0, "photos_taken": [], "spoken": False, "nods": 0},
        {"message": "I took no photo.", "picture": "a drawing in letters", "photo": "given.jpg"},
        {"message": "Say photo when you want 12 pictures.", "max_photos": 12, "wanted": {"interval": 5}},
        {"list": [{"name": "photos"}]},
    ],
)
def test_an_honest_result_is_not_taken_for_a_false_one(result: Any) -> None:
    assert unfounded(result, NOTHING) == ""


def test_what_happened_may_be_told_and_more_than_that_not() -> None:
    seen = {"pictures": 12, "sentences": 1, "sounds": 0, "moved": True}
    assert unfounded({"photos": 12, "spoken": True, "nods": 3}, seen) == ""
    assert "13 photos" in unfounded({"photos": 13}, seen)
