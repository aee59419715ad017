"""`reachy-mind workshop` for people: what untrusted code prints, returns or raises can't steer the terminal."""

from __future__ import annotations

import os
import pty
import sys
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.cli import workshop
from reachy_mind.cli.tools import parse_arguments
from reachy_mind.errors import InvalidParameter

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


@pytest.mark.parametrize("args", ['{"a": NaN}', '{"a": 1e999}', r'{"a": "\ud800"}', '{"a": ' + "[" * 5000, "[1]", "{"])
def test_arguments_that_cannot_be_sent_are_refused_with_a_sentence(args: str) -> None:
    with pytest.raises(InvalidParameter, match="--args is not"):
        parse_arguments(args)


FORGET = """
from reachy_mind import tools
async def forget() -> dict:
    "Forget everything."
    try:
        return await tools.call("forget_memory", query="everything")
    except tools.ToolError as error:
        return {"code": error.code}
"""


@pytest.mark.process
def test_a_person_at_the_terminal_is_asked_about_what_the_code_calls(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "forget.py"
    file.write_text(FORGET)
    words = ["-m", "reachy_mind", "workshop", "run", str(file), "--allow", "memory", "--timeout", "60"]
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(sys.executable, [sys.executable, *words], os.environ | {"REACHY_MIND_HOME": str(home)})  # noqa: S606
    shown = _until(terminal, "yes or no:")
    assert "May I do this? memory.forget_memory(query='everything')" in shown
    os.write(terminal, b"no\n")
    assert "NOT_CONFIRMED" in _until(terminal, "")
    os.waitpid(pid, 0)


def _until(terminal: int, words: str) -> str:
    """What the terminal shows until these words, or all of it."""
    shown = ""
    while not words or words not in shown:
        try:
            shown += os.read(terminal, 4096).decode(errors="replace")
        except OSError:  # the program has ended
            break
    return shown
