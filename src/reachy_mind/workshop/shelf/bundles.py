"""Bundles: one version of a tool as a signed file, to share it with another robot.

    {"format": "reachy-mind-tool/1", "tool": {...}, "public_key": "...", "signature": "..."}

A bundle has the code, its description and its cases, not the request: those are a person's words. The signature tells
whose tool it is and that nobody changed it; it grants nothing. An imported tool is a draft that is tried and approved
here, whoever signed it.
"""

from __future__ import annotations

import json
from typing import Any

from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.builtin.workshop import MAX_BUNDLE_BYTES
from reachy_mind.workshop.shelf.history import Which
from reachy_mind.workshop.shelf.shelf import Shelf
from reachy_mind.workshop.shelf.signing import fingerprint, verified
from reachy_mind.workshop.shelf.versions import NewVersion, ToolVersion, canonical

BUNDLE_FORMAT = "reachy-mind-tool/1"
_EXTRA = ("author", "explanation")


class InvalidBundle(InvalidParameter):
    """A file is no bundle, or it was changed after it was signed."""

    code = "INVALID_BUNDLE"


def export_bundle(shelf: Shelf, name: str, which: Which) -> str:
    """A version as a signed bundle. Raises NoSuchVersion, TamperedVersion, ShelfError."""
    version = shelf.get(name, which)
    shelf.key.create()
    tool = version.manifest | {key: getattr(version, key) for key in _EXTRA}
    tool |= {"language": version.language, "sentences": list(version.sentences)}
    bundle = {
        "format": BUNDLE_FORMAT,
        "tool": tool,
        "public_key": shelf.key.public,
        "signature": shelf.key.sign(_signed(tool)),
    }
    return json.dumps(bundle, indent=1, sort_keys=True) + "\n"


def read_bundle(text: str) -> NewVersion:
    """The tool of a bundle, with the fingerprint of its signer. Raises InvalidBundle, InvalidParameter."""
    if len(text.encode("utf-8", "replace")) > MAX_BUNDLE_BYTES:
        raise InvalidBundle("the bundle is too large", hint=f"at most {MAX_BUNDLE_BYTES >> 20} MiB")
    try:
        bundle: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidBundle("this is no bundle", hint="a file of `reachy-mind workshop export`") from None
    if (
        not isinstance(bundle, dict)
        or bundle.get("format") != BUNDLE_FORMAT
        or not isinstance(bundle.get("tool"), dict)
    ):
        raise InvalidBundle(f"this is no bundle of the format {BUNDLE_FORMAT}", hint="made by another version?")
    tool, public = dict(bundle["tool"]), bundle.get("public_key")
    try:
        signed = verified(public, _signed(tool), bundle.get("signature"))
    except (ValueError, RecursionError):
        signed = False
    if not signed:
        raise InvalidBundle("the signature of the bundle is wrong: it was changed", hint="get it again from its author")
    extra = {key: tool.pop(key, None) for key in _EXTRA}
    extra["language"] = tool.pop("language", "en")
    sentences = tool.pop("sentences", [])
    extra["sentences"] = tuple(sentences) if isinstance(sentences, list) else sentences
    return NewVersion.from_manifest(tool, signer=fingerprint(str(public)), **extra)


def import_bundle(shelf: Shelf, text: str) -> ToolVersion:
    """Put the tool of a bundle on the shelf as a draft. Raises InvalidBundle, InvalidParameter, ShelfError."""
    return shelf.add(read_bundle(text))


def _signed(tool: dict[str, Any]) -> bytes:
    return b"reachy-mind bundle 1\n" + canonical(tool)
