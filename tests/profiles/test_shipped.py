"""The personalities we ship: whole, different from one another, and as the guide tells of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reachy_mind.motion.repertoire import BUILT_IN
from reachy_mind.profiles.profile import DEFAULT, Profile
from tests.profiles.folders import profiles

GUIDE = Path(__file__).parents[2] / "docs" / "profiles.md"


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> list[Profile]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REACHY_MIND_HOME", str(tmp_path_factory.mktemp("home")))
        return profiles().all()


def test_there_are_enough_and_nothing_is_wrong_with_them(shipped: list[Profile]) -> None:
    assert len(shipped) >= 12 and {DEFAULT, "example"} <= {profile.name for profile in shipped}
    assert [str(problem) for profile in shipped for problem in profile.problems] == []
    assert not any(profile.broken for profile in shipped)


def test_each_is_whole(shipped: list[Profile]) -> None:
    for profile in shipped:
        assert len(profile.instructions.split()) > 100, profile.name
        assert "[" not in profile.instructions, f"{profile.name}: a placeholder was left"
        assert profile.greeting and profile.about and profile.tools, profile.name
        if profile.name != DEFAULT:
            assert profile.voice and profile.moves and len(profile.manner["en"]) >= 9, profile.name
        assert set(profile.moves) <= BUILT_IN.keys(), f"{profile.name} likes moves there are not"


def test_no_two_say_the_same(shipped: list[Profile]) -> None:
    greetings = [profile.greeting for profile in shipped]
    assert len(set(greetings)) == len(greetings)
    phrases = [
        way
        for profile in shipped
        for key, ways in profile.manner.get("en", {}).items()
        if key == "greet"
        for way in ways
    ]
    assert len(set(phrases)) == len(phrases)


def test_the_default_one_may_use_everything_and_the_childrens_friend_may_not(shipped: list[Profile]) -> None:
    by_name = {profile.name: profile for profile in shipped}
    assert by_name[DEFAULT].patterns == ("*",)
    linus = set(by_name["linus"].patterns)
    assert {"developer.*", "github.*", "tasks.*"} <= linus and "*" not in linus
    friend = by_name["little_friend"]
    assert friend.patterns == () and not {"search_web", "take_photo", "create_tool", "set_motor_mode"} & set(
        friend.tools
    )


def test_the_guide_has_every_one_of_them(shipped: list[Profile]) -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", GUIDE.read_text(), re.MULTILINE))
    assert rows == {profile.name: profile.about for profile in shipped}
