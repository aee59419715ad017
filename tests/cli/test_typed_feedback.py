"""Words that are typed while a run practises."""

from __future__ import annotations

import io
import json
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.cli.typed_feedback import TypedFeedback
from reachy_mind.feedback.reader import FeedbackReader
from tests.waiting import until_sync


def read(folder: Path) -> list[dict[str, Any]]:
    file = folder / "feedback.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "withme"
    made.mkdir()
    return made


@pytest.fixture
def typed(folder: Path) -> TypedFeedback:
    return TypedFeedback(FeedbackReader.load(folder / "none.npz"), folder)


@pytest.mark.parametrize(
    ("line", "episode"),
    [("great\n", None), ("withme:5 that was great\n", 5), ("Episode 6 was great", 6), ("episode #7, great", 7)],
)
def test_words_are_about_the_episode_they_name(typed: TypedFeedback, folder: Path, line: str, episode: int) -> None:
    typed.take(line)
    (said,) = read(folder)
    assert said["episode"] == episode and said["reward"] > 0.4


def test_blame_is_blame(typed: TypedFeedback, folder: Path) -> None:
    typed.take("withme:2 bad")
    assert read(folder)[0]["reward"] < -0.2


@pytest.mark.parametrize("line", ["banana", "", "  \n", "withme:5"])
def test_what_is_neither_praise_nor_blame_counts_for_nothing(
    typed: TypedFeedback, folder: Path, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    typed.take(line)
    assert read(folder) == []
    assert ("praise or blame" in capsys.readouterr().err) == (line == "banana")


def test_a_stop_interrupts_at_once_although_more_was_typed(folder: Path) -> None:
    """Several lines that arrive together are all read, also while nothing waits for them."""
    interrupted = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: interrupted.set())
    try:
        lines = io.StringIO("good\nstop\n")
        TypedFeedback(FeedbackReader.load(folder / "none.npz"), folder, lines).start()
        until_sync(interrupted.is_set)  # as a training does: it runs code of Python all the time
    finally:
        signal.signal(signal.SIGINT, before)
    assert [said["text"] for said in read(folder)] == ["good"]
