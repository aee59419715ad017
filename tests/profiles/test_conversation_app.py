"""The conversation app's own profiles, as they are published: fetched when there is a way to them, never kept here.

`CONVERSATION_APP_GIT` names another place to fetch the repository from, such as a mirror.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from reachy_mind.body.address import Address
from reachy_mind.config.configuration import load
from reachy_mind.mind import Mind
from tests.profiles.folders import folder, profiles

pytestmark = pytest.mark.process

ADDRESS = os.environ.get("CONVERSATION_APP_GIT", "https://github.com/pollen-robotics/reachy_mini_conversation_app")
OLD = "v0.2.2"
PLACES = ("profiles", "src/reachy_mini_conversation_app/profiles", "src/reachy_mini_conversation_app/prompts")


def _fetched(into: Path, branch: str) -> Path:
    """The folders that matter, of one version; skips where they can't be had."""
    host = urlsplit(ADDRESS).hostname
    if host:
        try:
            socket.create_connection((host, 443), timeout=2).close()
        except OSError as error:
            pytest.skip(f"{host} can't be reached: {error}")
    sparse = ["git", "clone", "-q", "--depth", "1", "--filter=blob:none", "--sparse", "--branch", branch, ADDRESS, into]
    quiet = os.environ | {"GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1"}
    for argv in (sparse, ["git", "-C", into, "sparse-checkout", "set", *PLACES]):
        try:
            subprocess.run(argv, env=quiet, capture_output=True, timeout=30, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            pytest.skip(f"the app can't be fetched: {error}")
    return into


def test_every_profile_of_today_loads(tmp_path: Path) -> None:
    app = _fetched(tmp_path / "app", "main")
    found = sorted(app.glob("profiles/*/profile.md"))
    if not found:
        pytest.skip("there is no profile.md in that version")
    for file in found:
        shutil.copytree(file.parent, folder(file.parent.name))
    assert len(found) >= 14
    for file in found:
        profile = profiles().usable(file.parent.name)
        assert profile.source == "user" and profile.instructions and profile.tools
        wrong = [
            str(each) for each in profile.problems if "no tool called" not in each.what and "no voice" not in each.what
        ]
        assert wrong == [], f"{profile.name}: {wrong}"


async def test_the_example_of_before_loads_and_its_tool_moves_the_robot(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    app = _fetched(tmp_path / "app", OLD) / "src" / "reachy_mini_conversation_app"
    robot: Address = request.getfixturevalue("robot")  # which takes some seconds, and only if there is something to try
    shutil.copytree(app / "profiles" / "example", folder("example"))
    shutil.copytree(app / "prompts", folder("prompts"))
    profiles().trust.mark("example", folder("example"))
    for place in app.glob("profiles/*/instructions.txt"):
        if place.parent.name != "example":
            shutil.copytree(place.parent, folder(place.parent.name))
    assert [profile.name for profile in profiles().all() if profile.broken] == []
    example = profiles().load("example")
    assert (example.own, example.problems) == (("sweep_look",), ()) and "[" not in example.instructions
    load().home.permissions_file.write_text("rules:\n  - {pattern: profile.sweep_look, tier: autonomous}\n")
    async with Mind(robot=str(robot), idle=False).session() as it:
        await it.use_profile("example")
        outcome = await it.toolbox.call("sweep_look")
        assert outcome.status == "ok", outcome.error
