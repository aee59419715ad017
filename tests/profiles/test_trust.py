"""Trust in a profile's Python: it runs only as it was when the user trusted it."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.config.configuration import load
from reachy_mind.errors import InvalidParameter, MindError
from tests.profiles.folders import OWN_TOOL, folder, profiles, put


@pytest.fixture
def hummer() -> Path:
    return put("hummer", instructions_txt="You hum.", tools_txt="hum", hum_py=OWN_TOOL, inner__part_py="X = 1\n")


def refusal() -> str:
    return profiles().trust.refusal("hummer", folder("hummer"))


def test_a_trust_holds_until_a_file_changes_comes_or_goes(hummer: Path) -> None:
    assert "not trusted" in refusal()
    assert set(profiles().trust.mark("hummer", hummer)) == {"hum.py", "inner/part.py"}
    assert refusal() == ""
    (hummer / "instructions.txt").write_text("You hum softly.")  # a text is no code
    assert refusal() == ""
    (hummer / "inner" / "part.py").write_text("X = 2\n")
    assert "changed since it was trusted: inner/part.py" in refusal()
    profiles().trust.mark("hummer", hummer)
    (hummer / "more.py").write_text("")
    assert "more.py" in refusal()
    (hummer / "more.py").unlink()
    assert refusal() == ""
    (hummer / "hum.py").unlink()
    assert "hum.py" in refusal()


def test_the_same_files_in_another_place_are_not_trusted(hummer: Path, tmp_path: Path) -> None:
    profiles().trust.mark("hummer", hummer)
    hummer.rename(tmp_path / "moved")
    put("hummer", instructions_txt="You hum.", tools_txt="hum")
    assert "changed" in refusal()
    assert "another folder" in profiles().trust.refusal("hummer", tmp_path / "moved")


def test_the_record_is_the_users_alone_and_a_damaged_one_trusts_nobody(hummer: Path) -> None:
    profiles().trust.mark("hummer", hummer)
    record = load().home.trusted_profiles_file
    assert record.stat().st_mode & 0o777 == 0o600
    record.write_text("{not json")
    assert "not trusted" in refusal()


def test_what_others_could_write_or_what_is_a_link_is_not_trusted(hummer: Path, tmp_path: Path) -> None:
    hummer.chmod(0o777)
    with pytest.raises(MindError, match="others may write"):
        profiles().trust.mark("hummer", hummer)
    hummer.chmod(0o755)
    (tmp_path / "there.py").write_text("")
    (hummer / "linked.py").symlink_to(tmp_path / "there.py")
    with pytest.raises(InvalidParameter, match=r"linked\.py is a link"):
        profiles().trust.mark("hummer", hummer)


def test_there_must_be_something_to_trust() -> None:
    put("plain", instructions_txt="You are plain.")
    with pytest.raises(InvalidParameter, match="no Python files"):
        profiles().trust.mark("plain", folder("plain"))
