"""Pins: the hashes of hub files as they were at the first pull (trust on first use).

The catalogue does not know these hashes. The hub's own metadata states them; the first one is kept in the models
folder, and a hub that states another one later is not believed until a person accepts it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from reachy_mind.errors import AssetError, HashMismatch
from reachy_mind.models.assets import Asset
from reachy_mind.storage.files import write_atomically

FOLDER = "pins"


@dataclass(frozen=True)
class Pin:
    """Hash and size of one file, and where they came from."""

    sha256: str
    size: int
    source: str


def read(folder: Path, name: str) -> Pin | None:
    """The pin of an asset; None before the first pull. Raises AssetError when its file can't be understood."""
    file = _file(folder, name)
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return Pin(str(found["sha256"]), int(found["size"]), str(found["source"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise AssetError(
            f"{file}, which holds the hash of {name}, can't be read: {error}",
            hint=f"remove it, then: reachy-mind models pull {name}",
        ) from None


def write(folder: Path, name: str, pin: Pin) -> None:
    """Keep the pin for good. Raises OSError."""
    write_atomically(_file(folder, name), json.dumps(asdict(pin), indent=1).encode(), mode=0o644)


def apply(asset: Asset, pin: Pin | None) -> Asset:
    """The asset with the pinned hash and size of its only part; unchanged without a pin."""
    if pin is None:
        return asset
    (part,) = asset.parts
    pinned = replace(part, sha256=pin.sha256, size=pin.size)
    return replace(asset, parts=(pinned,), unpacked_size=pin.size)


def changed(asset: Asset, pinned: Pin, stated: Pin) -> HashMismatch:
    """The error for a hub that states another hash than the one that was pinned."""
    return HashMismatch(
        f"{stated.source} has changed since {asset.name} was first pulled: pinned is sha256 {pinned.sha256} "
        f"({pinned.size} bytes), the hub now states {stated.sha256} ({stated.size} bytes)",
        hint=f"if you trust the new file: reachy-mind models pull {asset.name} --accept-changed",
    )


def _file(folder: Path, name: str) -> Path:
    return folder / FOLDER / f"{name}.json"
