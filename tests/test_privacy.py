"""docs/privacy.md: its table has every file and folder of a used home, and its commands do what it says."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from reachy_mind.config.configuration import load
from reachy_mind.config.logs import configure_logs
from reachy_mind.log import configure
from reachy_mind.mind import Mind
from reachy_mind.storage.home import Home
from reachy_mind.storage.owner import Ownership
from tests.fakes.processes import here, here_json

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "privacy.md").read_text()
ROWS = re.findall(r"^\| `([^`]+)` \|", PAGE.split("## Who can read it")[0], re.MULTILINE)
COMMANDS = [
    line for block in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL) for line in block.splitlines()
]
RELEASE = ROOT / "tests" / "upgrade" / "0.1.0.tar.gz"


def missing(names: set[str]) -> set[str]:
    """Names in a data folder that have no row."""
    rows = {row.rstrip("/") for row in ROWS}
    return {name for name in names if name.removesuffix("-wal").removesuffix("-shm") not in rows}


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture
def used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data folder where it usually is, with everything that people leave in it."""
    folder = tmp_path / "user" / ".local" / "share" / "reachy-mind"
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("REACHY_MIND_HOME", str(folder))
    here_json("restore", str(RELEASE))
    here_json("restore", str(RELEASE), "--yes")
    yield folder
    configure("error")


async def test_the_table_has_everything_that_a_used_home_contains(used: Path) -> None:
    configuration = load(flags={"robot.address": "none"})
    configure_logs(configuration, "mind")
    with Ownership(configuration.home) as owner:
        owner.announce(8642)
        async with Mind(configuration).session() as mind:
            await mind.ask("remember that my bicycle is red", person="Ada")
            await mind.ask("be a poet from now on")
            names = names_in(used)
    assert {"mind.db", "run", "logs", "replaced", "fleet", "photos", "workshop"} <= names
    assert missing(names) == set()


def test_the_table_has_every_name_that_the_code_knows() -> None:
    """What a test does not leave behind, such as the folder of a service's program."""
    home = (ROOT / "src" / "reachy_mind" / "storage" / "home.py").read_text()
    names = set(re.findall(r'return self\.folder / "([^"]+)"', home))
    for file in (ROOT / "src" / "reachy_mind").rglob("*.py"):
        names |= set(re.findall(r'(?:home|data)\.folder / "([^"]+)"', file.read_text()))
    assert {"mind.db", "claude", "developer", "fleet", "vendor-sdk"} <= names
    assert missing(names | {".restore", "replaced", "audit-anchor.json", "chat-history"}) == set()


@pytest.mark.process
def test_its_commands_show_and_erase_what_it_says(used: Path, tmp_path: Path) -> None:
    backups = used.with_name("reachy-mind-backups")
    assert here("backup").returncode == 0 and (used / "logs").mkdir() is None
    before: dict[str, str] = {}
    for command in COMMANDS:
        if command.startswith("reachy-mind "):
            done = here(*shlex.split(command)[1:])
            assert done.returncode == 0, f"{command}: {done.stderr}"
            before[command] = done.stdout
        else:
            user = {"HOME": str(tmp_path / "user"), "PATH": "/usr/bin:/bin"}  # never the home of who runs the tests
            subprocess.run(["/bin/sh", "-c", command], check=True, cwd=tmp_path, env=user)
            if command.endswith("/logs"):
                assert not (used / "logs").exists()
                check_erased(used)
    assert "Ada" in before["reachy-mind memory people"] and "kitchen tablet" in before["reachy-mind token list"]
    assert not used.exists() and not backups.exists()
    assert "my aunt Rosa grows roses" in (tmp_path / "ada.json").read_text()


def check_erased(home: Path) -> None:
    """After the commands about a person and the photos, up to the last ones."""
    assert here_json("memory", "people")["people"] == [] and here_json("photos", "list")["photos"] == []
    texts = {
        path.name: path.read_bytes().lower()
        for path in home.rglob("*")
        if path.is_file() and Home(home).folder / "replaced" not in path.parents
    }
    assert not [name for name, text in texts.items() if b"rosa" in text or b"favourite colour" in text]


def test_a_person_is_named_in_no_log(used: Path) -> None:
    """What people said is in the database alone: not in the log files either, at the level that is usual."""
    (used / "config.yaml").write_text("log:\n  level: info\n")
    configuration = load(flags={"robot.address": "none"})

    async def talk() -> None:
        async with Mind(configuration).session() as mind:
            for sentence in (
                "remember that the xylophone is purple",
                "what is the xylophone?",
                "show me the xylophone now",
            ):
                await mind.ask(sentence, person="Quentin")

    configure_logs(configuration, "mind")
    asyncio.run(talk())
    configure("error")
    written = "".join(file.read_text() for file in (used / "logs").iterdir())
    assert "xylophone" not in written and "quentin" not in written.lower()
    assert all(json.loads(line)["timestamp"] for line in written.splitlines())
