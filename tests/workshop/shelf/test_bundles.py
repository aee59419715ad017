"""Bundles: a tool travels to another robot as it is, and arrives as a draft, whoever signed it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reachy_mind.workshop.shelf.bundles import InvalidBundle, export_bundle, import_bundle
from reachy_mind.workshop.shelf.shelf import Shelf
from reachy_mind.workshop.shelf.versions import NotApproved, NotTested, VersionState
from tests.workshop.shelf.versions import PASSED, new_version


@pytest.fixture
def bundle(tmp_path: Path) -> str:
    """Of a tool that is in use at its author's."""
    author = Shelf(tmp_path / "author")
    author.approve("wave_twice", author.add(new_version(explanation="It waves.")).sha256, "test", activate=True)
    return export_bundle(author, "wave_twice", 1)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "here")


def test_an_imported_tool_is_a_draft_that_must_be_tried_and_approved_here(shelf: Shelf, bundle: str) -> None:
    version = import_bundle(shelf, bundle)
    original = new_version()
    assert (version.state, version.results) == (VersionState.DRAFT, None)
    assert (version.code, version.capabilities, version.sha256) == (original.code, ("motion",), original.sha256)
    assert (version.author, version.explanation) == ("recipe:sequence", "It waves.")
    with pytest.raises(NotTested):
        shelf.approve("wave_twice", 1, "test")
    with pytest.raises(NotApproved):
        shelf.activate("wave_twice", 1)
    shelf.record_trial("wave_twice", 1, PASSED)
    assert shelf.approve("wave_twice", 1, "test", activate=True).state is VersionState.ACTIVE


def test_an_unknown_signer_is_shown_and_known_after_an_approval(shelf: Shelf, bundle: str) -> None:
    version = import_bundle(shelf, bundle)
    assert version.signer.startswith("ed25519:")
    assert not version.known_signer
    shelf.record_trial("wave_twice", 1, PASSED)
    shelf.approve("wave_twice", 1, "test")
    assert shelf.get("wave_twice", 1).known_signer


def test_a_tool_made_here_comes_back_as_our_own(tmp_path: Path, bundle: str) -> None:
    author = Shelf(tmp_path / "author")
    author.add(new_version(name="nod_twice", results=None))
    version = import_bundle(author, export_bundle(author, "nod_twice", 1).replace("nod_twice", "nod_twice"))
    assert version.known_signer
    again = import_bundle(author, bundle)  # the same content as the one in use
    assert (again.number, again.state) == (1, VersionState.ACTIVE)


def test_a_bundle_has_no_words_of_the_person(bundle: str) -> None:
    assert "wave at me" not in bundle


def test_a_changed_bundle_is_refused(shelf: Shelf, bundle: str) -> None:
    tool = json.loads(bundle)
    for changed in (
        bundle.replace("waved", "moved"),
        bundle.replace('"motion"', '"http"'),
        json.dumps(tool | {"signature": ""}),
        json.dumps(tool | {"public_key": "AAAA"}),
        json.dumps(tool | {"format": "reachy-mind-tool/2"}),
        json.dumps(tool | {"tool": []}),
        json.dumps({key: value for key, value in tool.items() if key != "tool"}),
        "[]",
        "{",
        "[" * 100_000,
        "x" * 2_000_000,
    ):
        assert changed != bundle
        with pytest.raises(InvalidBundle):
            import_bundle(shelf, changed)
    assert shelf.names() == []


def test_the_bundle_of_a_hostile_signer_is_checked_like_any_other(tmp_path: Path, shelf: Shelf) -> None:
    """A valid signature over content that no shelf takes."""
    from reachy_mind.errors import InvalidParameter
    from reachy_mind.workshop.shelf.bundles import BUNDLE_FORMAT, _signed
    from reachy_mind.workshop.shelf.signing import SigningKey

    key = SigningKey(tmp_path / "key")
    key.create()
    good = new_version().manifest | {"author": "person", "explanation": ""}
    for change in (
        {"name": "../../etc"},
        {"capabilities": ["motion;rm"]},
        {"capabilities": "motion"},
        {"timeout_s": "long"},
        {"code": 5},
        {"explanation": None},
        {"more": 1},
        {"parameters": [{"name": "x", "type": 1, "required": True}]},
        {"description": None},
    ):
        tool = good | change
        text = {"format": BUNDLE_FORMAT, "tool": tool, "public_key": key.public, "signature": key.sign(_signed(tool))}
        with pytest.raises(InvalidParameter):
            import_bundle(shelf, json.dumps(text))
    assert shelf.names() == []
