"""`reachy-mind workshop` for people: what untrusted code prints, returns or raises can't steer the terminal."""

from __future__ import annotations

from typing import Any

import pytest

from reachy_mind.cli import workshop

CLEAR, C1, REVERSED = "\x1b[2J\x1b]0;owned\x07", "\x9b31m", "\u202e"


def report(**fields: Any) -> dict[str, Any]:
    times = {"wall_ms": 1.0, "cpu_ms": 1.0, "max_rss_mb": 1.0}
    return (
        {"status": "ok", "result": None, "output": "", "error": None, "calls": [], "isolation": "full"} | times | fields
    )


def test_what_code_says_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = f"{CLEAR}{C1}{REVERSED}\r"
    calls = [{"name": f"a{hostile}\nok: isolation none", "args": {hostile: hostile}, "status": "denied"}]
    workshop._show(report(output=f"one\n\ttwo {hostile}\n", result={hostile: hostile}, calls=calls))
    error = {"code": "X", "message": f"no {hostile}\nok: isolation none", "hint": hostile}
    workshop._show(report(status="error", error=error))
    shown = capsys.readouterr()
    for text in (shown.out, shown.err):
        assert not set(text) & {"\x1b", "\x07", "\x9b", "\u202e", "\r"}
    assert "one\n\ttwo \\x1b[2J" in shown.out
    assert not any(line.startswith("ok: isolation none") for line in shown.err.splitlines())


def test_ordinary_text_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    workshop._show(report(output="Grüße, 你好\u00a0👩\u200d🔧", result={"Straße": "naïve"}))
    shown = capsys.readouterr().out
    assert "Grüße, 你好\u00a0👩\u200d🔧\n" in shown and '"Straße": "naïve"' in shown
