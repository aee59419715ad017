from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

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
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "FILE_BYTES", 2000)
    log.configure("info", secrets=["hunter2-hunter2"], folder=tmp_path / "logs")
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
    log.configure("info", folder=tmp_path / "logs")
    log.get("test").info("it goes on")
    assert "no log files" in (told := capsys.readouterr().err) and "it goes on" in told


def test_a_line_with_half_of_a_surrogate_pair_is_written(tmp_path: Path) -> None:
    log.configure("info", folder=tmp_path)
    log.get("test").error("a name that is no text", name="\ud800", exc_info=OSError("\udcff"))
    log.close_files()
    assert "\\ud800" in (tmp_path / "mind.log").read_text()
