"""One tool's tier changed in the owner's file: their words stay, the change counts, and a stop can't be touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.errors import MindError
from reachy_mind.tools.builtin import ALIASES, TOOLS
from reachy_mind.tools.definition import Tier
from reachy_mind.tools.permissions import Permissions
from reachy_mind.tools.permissions_file import PermissionsFile
from reachy_mind.tools.registry import Registry

COMMENTED = """# what my robot may do
rules:
  # the children like it
  - pattern: robot.dance      # any
    tier: autonomous
    reason: fun

  - {pattern: robot.nod, tier: notify}  # polite
  - pattern: robot.*
    tier: confirm
"""


@pytest.fixture
def registry() -> Registry:
    known = Registry((), ALIASES)
    for tool in TOOLS:
        known.add(tool)
    return known


def book(file: Path, registry: Registry) -> tuple[PermissionsFile, Permissions]:
    permissions = Permissions(file)
    return PermissionsFile(permissions, registry), permissions


@pytest.mark.parametrize(
    "text",
    [None, "", "# nothing yet\n", "rules: []\n", "rules: [{pattern: 'robot.*', tier: 4}]", COMMENTED,
     "rules:\n- pattern: robot.*\n  tier: forbidden", "rules:\n  - {pattern: robot.nod, tier: 1}\n# the end"],
)  # fmt: skip
async def test_it_counts_whatever_the_file_was_like(tmp_path: Path, registry: Registry, text: str | None) -> None:
    file = tmp_path / "permissions.yaml"
    if text is not None:
        file.write_text(text)
        file.chmod(0o640)
    permissions_file, _ = book(file, registry)
    for name, tier in (("nod", Tier.FORBIDDEN), ("robot.wave", Tier.CONFIRM), ("robot.nod", Tier.NOTIFY)):
        assert (await permissions_file.set(name, tier, "it's: 'so'\n"))["tier"] == tier.label
    read_again = Permissions(file)
    nod, wave = registry.find("nod")[0], registry.find("wave")[0]
    assert (read_again.decide_tier(nod).tier, read_again.decide_tier(wave).tier) == (Tier.NOTIFY, Tier.CONFIRM)
    for line in (text or "").splitlines():
        comment = line.partition("#")[2]
        assert comment in file.read_text()
    if text is not None:
        assert file.stat().st_mode & 0o777 == 0o640


async def test_a_rule_about_one_tool_is_changed_where_it_stands_and_taken_away(
    tmp_path: Path, registry: Registry
) -> None:
    file = tmp_path / "permissions.yaml"
    file.write_text(COMMENTED)
    permissions_file, permissions = book(file, registry)
    await permissions_file.set("robot.dance", Tier.FORBIDDEN)
    assert file.read_text() == COMMENTED.replace("tier: autonomous", "tier: forbidden")
    told = await permissions_file.set("robot.dance", None)
    assert told["tier"] == "confirm", "the rule for all of them counts now"
    assert "the children like it" in file.read_text() and "fun" not in file.read_text()
    assert len(permissions.rules) == 2


@pytest.mark.parametrize("name", ["robot.stop", "stop", "mind.set_permission", "change_setting"])
async def test_what_must_stay_stays(tmp_path: Path, registry: Registry, name: str) -> None:
    file = tmp_path / "permissions.yaml"
    permissions_file, _ = book(file, registry)
    with pytest.raises(MindError, match="can't be changed"):
        await permissions_file.set(name, Tier.FORBIDDEN)
    assert not file.exists()


async def test_a_file_that_is_broken_meanwhile_is_left_as_it_is(tmp_path: Path, registry: Registry) -> None:
    file = tmp_path / "permissions.yaml"
    permissions_file, permissions = book(file, registry)
    file.write_text("rules: {")
    with pytest.raises(MindError, match="not YAML"):
        await permissions_file.set("nod", Tier.CONFIRM)
    assert file.read_text() == "rules: {" and permissions.rules == ()


async def test_a_file_that_vanished_is_not_replaced_by_one_with_a_single_rule(
    tmp_path: Path, registry: Registry
) -> None:
    file = tmp_path / "permissions.yaml"
    file.write_text(COMMENTED)
    permissions_file, permissions = book(file, registry)
    file.unlink()
    with pytest.raises(MindError, match="is gone"):
        await permissions_file.set("robot.wave", Tier.AUTONOMOUS)
    assert not file.exists() and len(permissions.rules) == 3


async def test_a_change_tells_the_tier_that_counts(tmp_path: Path, registry: Registry) -> None:
    """Another rule may be stricter about what the tool does."""
    file = tmp_path / "permissions.yaml"
    file.write_text("rules: [{pattern: robot.move_head, tier: forbidden}]")
    permissions_file, _ = book(file, registry)
    told = await permissions_file.set("robot.rest", Tier.AUTONOMOUS)
    assert told["tier"] == "forbidden" and "moves the head" in told["reason"]
    assert "robot.rest, tier: autonomous" in file.read_text()
