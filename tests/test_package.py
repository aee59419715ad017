"""What a fresh machine depends on: the lock, light imports, a README that says how to start."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCK = (ROOT / "requirements.lock").read_text()
PINS = dict(re.findall(r"^([a-z0-9-]+)==([^ ;\\]+)", LOCK, re.MULTILINE))


def requirements() -> list[Requirement]:
    lists = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    return [Requirement(text) for group in lists for text in group]


def test_every_dependency_is_locked_at_an_allowed_version() -> None:
    for requirement in requirements():
        if requirement.name in ("torch", "reachy-mind"):
            continue
        pinned = PINS[requirement.name.lower().replace("_", "-")]
        assert requirement.specifier.contains(pinned), f"{requirement} but {pinned} is locked: make lock"


def test_the_lock_names_no_place_and_every_pin_has_hashes() -> None:
    assert not re.search(r"^-|://|file:", LOCK, re.MULTILINE)
    blocks = re.split(r"^(?=[a-z0-9-]+==)", LOCK, flags=re.MULTILINE)[1:]
    assert len(blocks) > 100
    assert all("--hash=sha256:" in block for block in blocks)


def test_torch_stays_out_of_the_lock_and_in_two_extras() -> None:
    assert not any(name in PINS for name in ("torch", "triton")) and "nvidia-" not in LOCK
    extras = [name for name, group in PROJECT["optional-dependencies"].items() if any("torch" in r for r in group)]
    assert extras == ["local-vision", "learning"]
    assert all("torch==2.13.0" in PROJECT["optional-dependencies"][name] for name in extras)


def test_all_means_all_extras() -> None:
    (everything,) = PROJECT["optional-dependencies"]["all"]
    assert Requirement(everything).extras == set(PROJECT["optional-dependencies"]) - {"all", "dev", "docs"}


@pytest.mark.process
def test_importing_the_command_line_loads_nothing_heavy() -> None:
    code = "import sys, reachy_mind.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"numpy", "mujoco", "fastapi", "httpx", "pydantic", "websockets", "PIL", "structlog", "rich.console"}
    assert heavy.isdisjoint(loaded), heavy.intersection(loaded)


def test_the_guides_name_every_section_of_settings_and_every_command() -> None:
    from reachy_mind.cli import app
    from reachy_mind.config.settings import Settings

    settings, commands = ((ROOT / "docs" / f"{page}.md").read_text() for page in ("configuration", "command-line"))
    assert [section for section in Settings.model_fields if f"`{section}`" not in settings] == []
    names = [command.name for command in app.registered_commands] + [
        group.typer_instance.info.name for group in app.registered_groups
    ]
    assert [name for name in names if f"reachy-mind {name}" not in commands] == []


def test_readme_and_ci_agree_on_the_commands() -> None:
    readme, ci = (ROOT / "README.md").read_text(), (ROOT / ".ci" / "run").read_text()
    assert "make run" in readme and "make test" in readme and "make test" in ci
