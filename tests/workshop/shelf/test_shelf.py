"""The shelf: immutable versions, states, approval of one hash, rollback, quarantine, and what was tampered with."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from reachy_mind.errors import InvalidParameter
from reachy_mind.workshop.shelf.shelf import FAULTS, Shelf
from reachy_mind.workshop.shelf.versions import (
    NoSuchVersion,
    NotApproved,
    NotTested,
    ShelfError,
    TamperedVersion,
    VersionState,
)
from tests.workshop.shelf.versions import PASSED, WAVE, new_version

TWO = WAVE.replace("waved", "wavings")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "shelf"


@pytest.fixture
def shelf(folder: Path) -> Shelf:
    return Shelf(folder)


def states(shelf: Shelf) -> list[str]:
    return [version.state.value for version in shelf.versions("wave_twice")]


def in_use(shelf: Shelf, *versions: str) -> None:
    """Approve and activate versions with these codes, in order."""
    for code in versions:
        shelf.approve("wave_twice", shelf.add(new_version(code=code)).sha256, "test", activate=True)


# Versions and their states


def test_the_way_of_a_version_from_draft_to_use(shelf: Shelf) -> None:
    draft = shelf.add(new_version(results=None))
    assert (draft.number, draft.state, draft.code) == (1, VersionState.DRAFT, WAVE)
    assert shelf.record_trial("wave_twice", 1, PASSED).state is VersionState.TESTED
    assert shelf.approve("wave_twice", 1, "call 7").state is VersionState.APPROVED
    assert shelf.active("wave_twice") is None
    assert shelf.activate("wave_twice", 1).state is VersionState.ACTIVE
    found = Shelf(shelf.key._file.parent).active("wave_twice")  # another process
    assert found is not None
    assert (found.approved_by, found.request, found.results) == ("call 7", "wave at me twice", PASSED)
    assert shelf.deactivate("wave_twice").state is VersionState.RETIRED
    assert shelf.active("wave_twice") is None


def test_the_same_content_is_one_version_and_any_other_content_another(shelf: Shelf) -> None:
    first = shelf.add(new_version())
    assert shelf.add(new_version(request="other words", author="person")).sha256 == first.sha256
    for change in (
        {"code": TWO},
        {"capabilities": ("motion", "camera")},
        {"description": "Another."},
        {"timeout_s": 10},
        {"parameters": ()},
        {"cases": ()},
    ):
        assert shelf.add(new_version(**change)).sha256 != first.sha256
    assert [version.number for version in shelf.versions("wave_twice")] == [1, 2, 3, 4, 5, 6, 7]


def test_a_version_without_a_passed_trial_is_not_approved(shelf: Shelf) -> None:
    shelf.add(new_version(results=None))
    with pytest.raises(NotTested):
        shelf.approve("wave_twice", 1, "test")
    shelf.record_trial("wave_twice", 1, {"passed": False, "errors": ["it did not wave"]})
    with pytest.raises(NotTested):
        shelf.approve("wave_twice", 1, "test", activate=True)
    assert states(shelf) == ["draft"]


def test_only_an_approved_version_is_activated(shelf: Shelf) -> None:
    shelf.add(new_version())
    with pytest.raises(NotApproved):
        shelf.activate("wave_twice", 1)
    shelf.approve("wave_twice", 1, "test")
    shelf.reject("wave_twice", 1, "too wild")
    with pytest.raises(NotApproved, match="too wild"):
        shelf.activate("wave_twice", 1)
    assert states(shelf) == ["rejected"]


def test_an_approval_is_for_the_capabilities_that_the_person_saw(shelf: Shelf) -> None:
    shelf.add(new_version(capabilities=("motion", "http:example.org")))
    with pytest.raises(InvalidParameter, match=r"http:example\.org"):
        shelf.approve("wave_twice", 1, "test", capabilities=["motion"])
    assert states(shelf) == ["tested"]
    shelf.approve("wave_twice", 1, "test", capabilities=["motion", "http:example.org"])
    assert states(shelf) == ["approved"]


def test_a_rejected_version_is_no_longer_in_use(shelf: Shelf) -> None:
    in_use(shelf, WAVE)
    shelf.reject("wave_twice", 1)
    assert shelf.active("wave_twice") is None


def test_a_rollback_goes_to_the_version_before_and_to_no_other_than_an_approved_one(shelf: Shelf) -> None:
    in_use(shelf, WAVE, TWO)
    shelf.add(new_version(code=WAVE + "\n"))
    assert states(shelf) == ["retired", "active", "tested"]
    assert shelf.rollback("wave_twice").number == 1
    assert states(shelf) == ["active", "retired", "tested"]
    assert shelf.rollback("wave_twice", 2).number == 2
    with pytest.raises(NotApproved):
        shelf.rollback("wave_twice", 3)
    with pytest.raises(NoSuchVersion):
        shelf.rollback("wave_twice", 9)
    shelf.deactivate("wave_twice")
    assert shelf.rollback("wave_twice").number == 2


def test_a_rollback_skips_a_version_in_quarantine(shelf: Shelf) -> None:
    in_use(shelf, WAVE, TWO, WAVE + "\n")
    shelf.reject("wave_twice", 2)
    assert shelf.rollback("wave_twice").number == 1


@pytest.mark.parametrize("record", ["record_kill", "record_denial"])
def test_repeated_kills_or_denials_put_a_version_in_quarantine(shelf: Shelf, record: str) -> None:
    in_use(shelf, WAVE)
    found = [getattr(shelf, record)("wave_twice", 1, "it ran too long") for _ in range(FAULTS)]
    assert found == [False] * (FAULTS - 1) + [True]
    version = shelf.get("wave_twice", 1)
    assert (version.state, shelf.active("wave_twice")) == (VersionState.QUARANTINED, None)
    assert "it ran too long" in version.reason
    with pytest.raises(NotApproved):
        shelf.activate("wave_twice", 1)
    # A person may approve it again; then it starts anew.
    assert shelf.approve("wave_twice", 1, "test", activate=True).faults == ()
    assert getattr(shelf, record)("wave_twice", 1, "once more") is False


def test_kills_long_ago_do_not_count(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    in_use(shelf, WAVE)
    clock = [1_000_000.0]
    monkeypatch.setattr("time.time", lambda: clock[0])
    for _ in range(FAULTS * 2):
        assert not shelf.record_kill("wave_twice", 1)
        clock[0] += 50_000


def test_the_diff_has_added_capabilities_first(shelf: Shelf) -> None:
    in_use(shelf, WAVE)
    shelf.add(new_version(code=TWO, capabilities=("camera", "http:example.org")))
    changes = shelf.diff("wave_twice", None, 2)
    assert list(changes.as_dict())[:5] == ["name", "from", "to", "added_capabilities", "removed_capabilities"]
    assert changes.added_capabilities == ("camera", "http:example.org")
    assert changes.removed_capabilities == ("motion",)
    assert '+    return {"wavings": times}' in changes.code.splitlines()
    assert shelf.diff("wave_twice", None, 1).old is None
    assert shelf.diff("wave_twice", 2, 1).added_capabilities == ("motion",)


def test_versions_are_found_by_number_and_by_hash_and_no_name_leaves_the_shelf(shelf: Shelf) -> None:
    version = shelf.add(new_version())
    for which in (1, "1", "v1", version.sha256, version.sha256[:8]):
        assert shelf.get("wave_twice", which) == version
    for which in (2, "0", version.sha256[:7], "", "latest"):
        with pytest.raises(NoSuchVersion):
            shelf.get("wave_twice", which)
    for name in ("../wave_twice", "", ".", "/etc", "Wave"):
        with pytest.raises(NoSuchVersion):
            shelf.versions(name)
        with pytest.raises(InvalidParameter):
            new_version(name=name)


def test_the_shelf_is_for_the_user_alone(shelf: Shelf, folder: Path) -> None:
    in_use(shelf, WAVE)
    for file in folder.rglob("*"):
        assert not file.stat().st_mode & 0o077, file
    (folder / "signing.key").chmod(0o644)
    with pytest.raises(ShelfError):
        Shelf(folder).active("wave_twice")


# Changes behind its back


def change_code(folder: Path) -> None:
    file = next(folder.glob("wave_twice/*/tool.py"))
    file.write_text(file.read_text().replace("times}", "times + 1}"))


def change_capabilities(folder: Path) -> None:
    file = next(folder.glob("wave_twice/*/about.json"))
    file.write_text(file.read_text().replace("motion", "camera"))


def change_explanation(folder: Path) -> None:
    file = next(folder.glob("wave_twice/*/about.json"))
    file.write_text(file.read_text().replace('"explanation":""', '"explanation":"harmless"'))


def change_verdict(folder: Path) -> None:
    next(folder.glob("wave_twice/*/results-*.json")).write_text('{"passed": true}')


def link_elsewhere(folder: Path) -> None:
    file = next(folder.glob("wave_twice/*/tool.py"))
    other = folder / "other.py"
    file.rename(other)
    file.symlink_to(other)


def remove_code(folder: Path) -> None:
    next(folder.glob("wave_twice/*/tool.py")).unlink()


def replace_by_folder(folder: Path) -> None:
    file = next(folder.glob("wave_twice/*/tool.py"))
    file.unlink()
    file.mkdir()


def make_pipe(folder: Path) -> None:
    file = next(folder.glob("wave_twice/*/tool.py"))
    file.unlink()
    os.mkfifo(file)


@pytest.mark.parametrize(
    "change",
    [
        change_code,
        change_capabilities,
        change_explanation,
        change_verdict,
        link_elsewhere,
        remove_code,
        replace_by_folder,
        make_pipe,
    ],
)
def test_a_changed_version_is_refused_and_put_in_quarantine(
    shelf: Shelf, folder: Path, change: Callable[[Path], None]
) -> None:
    in_use(shelf, WAVE)
    change(folder)
    with pytest.raises(TamperedVersion):
        shelf.active("wave_twice")
    assert shelf.active("wave_twice") is None
    (listed,) = shelf.versions("wave_twice")
    assert (listed.state, listed.code) == (VersionState.QUARANTINED, "")
    assert "not what was written" in listed.trouble
    with pytest.raises(TamperedVersion):
        shelf.approve("wave_twice", 1, "test")


def test_a_changed_log_is_refused(shelf: Shelf, folder: Path) -> None:
    in_use(shelf, WAVE, TWO)
    log = folder / "wave_twice" / "log.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    for changed in (
        lines[:-1],  # cut short
        lines[1:],
        [*lines[:2], *lines[3:]],
        [lines[0], lines[1].replace(b'"motion"', b'"camera"'), *lines[2:]],
        [lines[0].replace(b'"passed":true', b'"passed":false'), *lines[1:]],
        [*lines, b"{}\n"],
        [*lines, b"nonsense\n"],
    ):
        assert changed != lines
        log.write_bytes(b"".join(changed))
        with pytest.raises(TamperedVersion):
            Shelf(folder).active("wave_twice")
    log.unlink()
    with pytest.raises(TamperedVersion):
        Shelf(folder).active("wave_twice")


def test_an_approval_that_another_key_signed_does_not_count(shelf: Shelf, folder: Path) -> None:
    in_use(shelf, WAVE)
    (folder / "signing.key").unlink()
    fresh = Shelf(folder)
    assert fresh.active("wave_twice") is None
    assert states(fresh) == ["tested"]
    fresh.add(new_version(name="another"))
    fresh.approve("another", 1, "test")  # makes a new key
    assert states(fresh) == ["tested"]


def test_an_approval_of_one_version_can_not_be_moved_to_another(shelf: Shelf, folder: Path) -> None:
    """A line written by hand, with a right chain, still lacks the signature over that hash."""
    in_use(shelf, WAVE)
    other = shelf.add(new_version(code=TWO, capabilities=("http",)))
    journal = shelf._journal("wave_twice")
    approval = next(entry for entry in journal.entries() if entry["event"] == "approved")
    forged = {key: approval[key] for key in ("event", "capabilities", "by", "signature")} | {"sha256": other.sha256}
    journal.append([forged, {"event": "activated", "sha256": other.sha256}], other.sha256)
    active = Shelf(folder).active("wave_twice")
    assert active is not None
    assert active.number == 1
    assert states(Shelf(folder)) == ["active", "tested"]


def test_head_follows_the_log(shelf: Shelf, folder: Path) -> None:
    in_use(shelf, WAVE, TWO)
    head = folder / "wave_twice" / "HEAD"
    assert json.loads(head.read_bytes())["active"] == shelf.get("wave_twice", 2).sha256
    shelf.rollback("wave_twice")
    assert json.loads(head.read_bytes())["active"] == shelf.get("wave_twice", 1).sha256


def test_what_is_no_tool_is_refused() -> None:
    for change in (
        {"code": ""},
        {"code": "x" * 300_000},
        {"code": "\ud800"},
        {"description": " "},
        {"capabilities": ("motion, camera",)},
        {"capabilities": ("motion\nx",)},
        {"timeout_s": 0},
        {"timeout_s": float("nan")},
        {"timeout_s": 1e9},
        {"cases": ({"input": float("nan")},)},
        {"parameters": ({"name": "a b", "type": "int", "required": True},)},
        {"parameters": ({"name": "a", "type": "int", "required": True},) * 2},
        {"results": {"passed": {1, 2}}},
    ):
        with pytest.raises(InvalidParameter):
            new_version(**change)


def test_an_erased_request_leaves_the_version_as_it_is(shelf: Shelf, folder: Path) -> None:
    in_use(shelf, WAVE)
    shelf.erase_request("wave_twice", 1)
    version = Shelf(folder).active("wave_twice")
    assert version is not None
    assert version.request == ""
    assert b"wave at me twice" not in b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
