"""Rules: what they match, which wins, and files that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.errors import ConfigError
from reachy_mind.tools.builtin import administration
from reachy_mind.tools.definition import Tier, Tool
from reachy_mind.tools.permissions import Permissions, parse
from tests.tools.bench import light, nod, stop, transfer, unlock


def permissions(tmp_path: Path, text: str) -> Permissions:
    file = tmp_path / "permissions.yaml"
    file.write_text(text)
    return Permissions(file)


def test_without_a_file_tools_have_the_tier_they_declare() -> None:
    rules = Permissions(None)
    assert [rules.decide_tier(tool).tier for tool in (nod, light, unlock, transfer)] == [1, 2, 3, 4]


def test_the_first_rule_that_matches_wins(tmp_path: Path) -> None:
    rules = permissions(tmp_path, "rules:\n- {pattern: robot.nod, tier: 2}\n- {pattern: 'robot.*', tier: 4}\n")
    assert rules.decide_tier(nod).tier is Tier.NOTIFY
    assert "line 2" in rules.decide_tier(nod).reason


@pytest.mark.parametrize("pattern", ["robot.nod", "nod", "mcp__robot__nod", "robot.*", "mcp__robot__*", "*", "n?d"])
def test_every_spelling_of_a_name_matches(tmp_path: Path, pattern: str) -> None:
    assert (
        permissions(tmp_path, f"rules:\n- {{pattern: '{pattern}', tier: forbidden}}\n").decide_tier(nod).tier
        is Tier.FORBIDDEN
    )


def test_stop_is_never_raised(tmp_path: Path) -> None:
    rules = permissions(tmp_path, "rules:\n- {pattern: '*', tier: 4}\n- {pattern: robot.stop, tier: 3}\n")
    assert rules.decide_tier(stop).tier is Tier.AUTONOMOUS


@pytest.mark.parametrize("tool", administration.TOOLS, ids=lambda tool: tool.name)
def test_what_changes_the_rules_asks_whatever_they_say(tmp_path: Path, tool: Tool) -> None:
    for tier in (1, 2, 3, 4):
        rules = permissions(
            tmp_path, f"rules:\n- {{pattern: {tool.name}, tier: {tier}}}\n- {{pattern: '*', tier: 1}}\n"
        )
        assert rules.decide_tier(tool).tier == max(tier, Tier.CONFIRM)


def test_a_tool_of_an_mcp_server_takes_no_other_name_of_ours() -> None:
    from dataclasses import replace

    from reachy_mind.tools.builtin import ALIASES, TOOLS
    from reachy_mind.tools.definition import REMOTE
    from reachy_mind.tools.registry import Registry

    registry = Registry(TOOLS, ALIASES)
    foreign = replace(nod, name="remember", group="notes", source=REMOTE + "notes")
    assert not registry.add(foreign)
    assert registry.find("remember")[0].qualified == "memory.store_memory"
    assert registry.find("notes.remember")[0] is foreign


def test_a_foreign_tool_is_confirmed_whatever_it_declares() -> None:
    from dataclasses import replace

    assert Permissions(None).decide_tier(replace(nod, source="entry point x")).tier is Tier.CONFIRM
    assert Permissions(None).decide_tier(replace(stop, source="profile x", tier=None)).tier is Tier.CONFIRM


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rules:\n- pattern: x\n", ":2: a rule without tier"),
        ("rules:\n- {pattern: x, tier: 5}\n", ":2: '5' is no tier"),
        ("rules:\n- {pattern: x, tier: 2}\n- {pattern: y, tier: sometimes}\n", ":3: 'sometimes' is no tier"),
        ("rules:\n- {pattern: '', tier: 2}\n", ":2: '' is no pattern"),
        ("rules:\n- {patern: x, tier: 2}\n", ":2: unknown key 'patern'"),
        ("rules: 5\n", ":1: 'rules' is not a list"),
        ("rule:\n- {pattern: x, tier: 2}\n", "unknown key 'rule'"),
        ("- just a list\n", ":1: not a list of 'key: value' lines"),
        ("rules:\n- {pattern: x, tier: [1]}\n", ":2: a list where a word should be"),
        ("rules:\n- {pattern: x, tier: 2\n", "not YAML"),
        ("rules:\n  - x\n y\n", "not YAML"),
        ("rules: []\nrules: []\n", ":2: 'rules' twice"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse(text, "permissions.yaml")
    assert said in error.value.message


def test_a_wrong_change_leaves_the_old_rules_in_force(tmp_path: Path) -> None:
    rules = permissions(tmp_path, "rules:\n- {pattern: robot.nod, tier: forbidden}\n")
    assert rules.file is not None
    rules.file.write_text("rules: nonsense\n")
    with pytest.raises(ConfigError):
        rules.reload()
    assert rules.decide_tier(nod).tier is Tier.FORBIDDEN
    rules.file.write_text("")
    rules.reload()
    assert rules.decide_tier(nod).tier is Tier.AUTONOMOUS


def test_a_file_that_vanished_leaves_its_rules_in_force_and_says_so(tmp_path: Path) -> None:
    rules = permissions(tmp_path, "rules:\n- {pattern: robot.nod, tier: forbidden}\n")
    assert rules.file is not None and rules.trouble() == ""
    rules.file.unlink()
    assert "is gone" in rules.trouble() and "stay in force" in rules.trouble()
    with pytest.raises(ConfigError, match=r"permissions\.yaml is gone; the rule read before stay"):
        rules.reload()
    assert rules.decide_tier(nod).tier is Tier.FORBIDDEN
    rules.file.write_text("rules: []\n")
    rules.reload()
    assert rules.decide_tier(nod).tier is Tier.AUTONOMOUS and rules.trouble() == ""


def test_a_file_that_others_can_write_is_refused_at_the_start_and_at_a_reload(tmp_path: Path) -> None:
    rules = permissions(tmp_path, "rules:\n- {pattern: robot.nod, tier: forbidden}\n")
    assert rules.file is not None
    rules.file.write_text("rules: []\n")
    rules.file.chmod(0o666)
    with pytest.raises(ConfigError, match="written by everybody; the rule"):
        rules.reload()
    assert rules.decide_tier(nod).tier is Tier.FORBIDDEN
    with pytest.raises(ConfigError, match="written by everybody"):
        Permissions(rules.file)


def test_without_a_file_from_the_start_a_reload_finds_none(tmp_path: Path) -> None:
    rules = Permissions(tmp_path / "permissions.yaml")
    rules.reload()
    assert rules.rules == () and rules.trouble() == ""
