from __future__ import annotations

import json
import logging

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
