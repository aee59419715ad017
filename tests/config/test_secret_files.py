"""Secrets in files, as containers and systemd hand them over."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.config.configuration import Configuration, load
from reachy_mind.errors import ConfigError


def configured(tmp_path: Path, **environ: str) -> Configuration:
    return load(environ={"REACHY_MIND_HOME": str(tmp_path / "home")} | environ, folder=tmp_path)


def test_a_variable_names_the_file_of_a_secret_and_its_own_value_beats_it(tmp_path: Path) -> None:
    file = tmp_path / "store"
    file.write_text("postgresql://fleet:p\u00e4ss@db/fleet\n", encoding="utf-8")
    found = configured(tmp_path, REACHY_MIND_FLEET__STORE_FILE=str(file))
    assert found.settings.fleet.store is not None
    assert found.settings.fleet.store.get_secret_value() == "postgresql://fleet:p\u00e4ss@db/fleet"
    assert found.origins["fleet.store"] == "environment REACHY_MIND_FLEET__STORE_FILE"
    assert "postgresql://fleet:p\u00e4ss@db/fleet" in found.secrets(), "or it would be in the log"
    both = configured(tmp_path, REACHY_MIND_FLEET__STORE_FILE=str(file), REACHY_MIND_FLEET__STORE="postgresql://other")
    assert both.settings.fleet.store is not None
    assert both.settings.fleet.store.get_secret_value() == "postgresql://other"


def test_an_empty_file_is_no_secret(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("\n")
    assert configured(tmp_path, REACHY_MIND_OPENAI__API_KEY_FILE=str(file)).settings.openai.api_key is None


def test_the_private_key_of_the_certificate_stays_a_setting_of_its_own(tmp_path: Path) -> None:
    found = configured(tmp_path, REACHY_MIND_FLEET__KEY_FILE=str(tmp_path / "tls.key"))
    assert found.settings.fleet.key_file == tmp_path / "tls.key" and found.settings.fleet.key is None


@pytest.mark.parametrize("problem", ["missing", "folder", "writable", "large"])
def test_a_file_that_is_not_there_or_not_safe_is_an_error_without_its_content(tmp_path: Path, problem: str) -> None:
    file = tmp_path / "store"
    if problem == "folder":
        file.mkdir()
    elif problem != "missing":
        file.write_text("hunter22" * (10_000 if problem == "large" else 1))
        file.chmod(0o666 if problem == "writable" else 0o600)
    with pytest.raises(ConfigError, match="REACHY_MIND_FLEET__STORE_FILE") as raised:
        configured(tmp_path, REACHY_MIND_FLEET__STORE_FILE=str(file))
    assert "hunter22" not in str(raised.value)


def test_only_secrets_have_such_a_variable(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unknown variable REACHY_MIND_ROBOT__SCENE_FILE"):
        configured(tmp_path, REACHY_MIND_ROBOT__SCENE_FILE=str(tmp_path / "scene"))
