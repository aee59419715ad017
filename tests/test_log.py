from __future__ import annotations

import json
import logging
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import structlog

from reachy_mind import log


@pytest.fixture(autouse=True)
def restored() -> object:
    yield
    log.configure("error")


def test_secrets_stay_out_of_logs(capsys: pytest.CaptureFixture[str]) -> None:
    log.configure("info", "json", secrets=["hunter2-hunter2"])
    logger = log.get("test")
    logger.info(
        "login with hunter2-hunter2", api_key="abc", nested={"auth_token": "xyz", "port": 1}, header="Bearer 12345678"
    )
    logging.getLogger("library").warning("using sk-abcdefghijkl and %s", "hunter2-hunter2")
    try:
        raise ValueError("hunter2-hunter2")
    except ValueError:
        logger.exception("failed")
    text = capsys.readouterr().err
    for secret in ("hunter2", "abc", "xyz", "12345678", "abcdefghijkl"):
        assert secret not in text
    first = json.loads(text.splitlines()[0])
    assert first["nested"]["port"] == 1 and first["level"] == "info" and first["logger"] == "test"


def test_level_is_respected_for_our_loggers_and_the_libraries(capsys: pytest.CaptureFixture[str]) -> None:
    log.configure("warning")
    log.get("test").info("quiet")
    logging.getLogger("library").info("quiet")
    log.get("test").warning("loud")
    text = capsys.readouterr().err
    assert "quiet" not in text and "loud" in text


def test_log_files_are_rotated_private_and_have_requests_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files_of = log.LogFiles(str(tmp_path / "logs"), max_bytes=2000, count=5)
    log.configure("info", secrets=["hunter2-hunter2"], files=files_of)
    for number in range(100):
        log.get("test").info("something happened", number=number, what="hunter2-hunter2")
        log.get(log.ACCESS).info("request", method="GET", route="/healthz", status=200, number=number)
    log.close_files()
    files = sorted(path.name for path in (tmp_path / "logs").iterdir())
    assert files == [f"{name}.log{kept}" for name in ("access", "mind") for kept in ("", ".1", ".2", ".3", ".4")]
    assert all(
        path.stat().st_mode & 0o77 == 0 and path.stat().st_size <= 2100 for path in (tmp_path / "logs").iterdir()
    )
    last = json.loads((tmp_path / "logs" / "mind.log").read_text().splitlines()[-1])
    assert (last["number"], last["event"]) == (99, "something happened") and "hunter2" not in str(last)
    requests = (tmp_path / "logs" / "access.log").read_text()
    assert json.loads(requests.splitlines()[-1])["route"] == "/healthz" and "something" not in requests
    assert "/healthz" not in capsys.readouterr().err


def test_the_log_of_requests_does_not_hide_what_the_package_access_has_to_say(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log.configure("info")
    log.get("reachy_mind.access.rejections").warning("a caller was refused")
    log.get(log.ACCESS).info("request", route="/healthz")
    told = capsys.readouterr().err
    assert "a caller was refused" in told and "/healthz" not in told


def test_a_folder_that_can_not_be_written_costs_only_the_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "logs").write_text("in the way")
    log.configure("info", files=log.LogFiles(str(tmp_path / "logs")))
    log.get("test").info("it goes on")
    assert "no log files" in (told := capsys.readouterr().err) and "it goes on" in told


def test_a_line_with_half_of_a_surrogate_pair_is_written(tmp_path: Path) -> None:
    log.configure("info", files=log.LogFiles(str(tmp_path)))
    log.get("test").error("a name that is no text", name="\ud800", exc_info=OSError("\udcff"))
    log.close_files()
    assert "\\ud800" in (tmp_path / "mind.log").read_text()


_SEEN: dict[int, str] = {}


def capsys_text(capsys: pytest.CaptureFixture[str]) -> str:
    """Everything on stderr so far."""
    _SEEN[id(capsys)] = _SEEN.get(id(capsys), "") + capsys.readouterr().err
    return _SEEN[id(capsys)]


def waiting_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def lines(file: Path) -> list[dict[str, Any]]:
    log.close_files()
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_line_has_what_a_program_that_collects_logs_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log.configure("info", "json", files=log.LogFiles(str(tmp_path)))
    with structlog.contextvars.bound_contextvars(turn="t1"):
        logging.getLogger("library").warning("it is late")
        try:
            raise ValueError("no such gear")
        except ValueError:
            log.get("test").exception("it failed", gear=7)
    shown = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    for library, ours in (shown, lines(tmp_path / "mind.log")):
        assert list(ours)[:6] == ["timestamp", "level", "process", "logger", "event", "turn"]
        assert datetime.fromisoformat(ours["timestamp"]).tzinfo is not None
        assert (ours["level"], ours["event"], ours["gear"], ours["process"]) == ("error", "it failed", 7, "mind")
        assert "ValueError: no such gear" in ours["exception"]
        assert (library["event"], library["turn"], ours["turn"]) == ("it is late", "t1", "t1")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no file that is always full")
def test_a_full_disk_costs_only_the_lines_of_the_file_and_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mind.log").symlink_to("/dev/full")
    log.configure("info", files=log.LogFiles(str(tmp_path), max_bytes=1000, count=2))
    for number in range(3):
        log.get("test").info("while it is full", number=number)
    waiting_for(lambda: "can't be written" in capsys_text(capsys))
    (tmp_path / "mind.log").unlink()
    log.get("test").info("there is room again")
    assert next(line["event"] for line in lines(tmp_path / "mind.log")) == "there is room again"
    told = capsys_text(capsys)
    assert told.count("can't be written") == 1 and told.count("is written again") == 1
    assert told.count("while it is full") == 3


def test_a_file_that_was_cut_off_within_a_line_goes_on_in_a_new_one(tmp_path: Path) -> None:
    (tmp_path / "mind.log").write_text('{"event": "cut o')
    log.configure("info", files=log.LogFiles(str(tmp_path)))
    log.get("test").info("after the restart")
    log.close_files()
    assert json.loads((tmp_path / "mind.log").read_text().splitlines()[1])["event"] == "after the restart"


def test_another_level_does_not_end_the_files(tmp_path: Path) -> None:
    log.configure("error", files=log.LogFiles(str(tmp_path)))
    log.get("test").info("not yet")
    log.change_level("info")
    log.get("test").info("now")
    log.get(log.ACCESS).info("request", route="/healthz")
    assert [line["event"] for line in lines(tmp_path / "mind.log")] == ["now"]
    assert (tmp_path / "access.log").exists()


@pytest.mark.process
def test_a_process_that_this_one_starts_logs_in_the_same_form_and_a_file_of_its_own(tmp_path: Path) -> None:
    log.configure("info", "json", files=log.LogFiles(str(tmp_path), max_bytes=3000, count=3))
    script = "from reachy_mind import log; log.configure_child('model-the ears'); log.get('it').info('here', number=1)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    shown, kept = json.loads(done.stderr), lines(tmp_path / "model-the-ears.log")
    assert kept == [shown] and (shown["process"], shown["event"]) == ("model-the-ears", "here")
