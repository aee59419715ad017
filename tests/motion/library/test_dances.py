"""Names of dances, ours and those of other programs for this robot."""

from __future__ import annotations

from reachy_mind.motion.library.dances import DANCES, numbered_dance
from reachy_mind.tools.builtin.moves import dance


def test_numbers_of_music_are_dances() -> None:
    named = {numbered_dance(f"music{number}") for number in range(1, 20)}
    assert named <= set(DANCES) and len(named) == min(19, len(DANCES))
    assert [numbered_dance(name) for name in ("music", "music12345", "musical", "waltz", "music-1x")] == [""] * 5
    checked = dance.check({"dance_name": "music3"})
    assert checked["name"] == "music3" and "dance_name" not in dance.schema["properties"]
