"""Personalities for devices: all texts of a profile as one bundle, which is never changed: its SHA-256 is its name.

A bundle is made from a profile's folder, with its placeholders expanded, or uploaded. It has texts only, never Python,
and no file that a profile folder can't have.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import reachy_mind.profiles as profiles_package
from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control.devices import NotInTenant
from reachy_mind.fleet.control.store.store import Row, Sql
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.fleet.protocol.handshake import ETAG, PERSONA_ID
from reachy_mind.profiles.phrasebook import phrasing
from reachy_mind.profiles.placeholders import Expansion
from reachy_mind.profiles.texts import LARGEST_BYTES, Texts

if TYPE_CHECKING:
    from reachy_mind.profiles.catalogue import Profiles

SHIPPED: Final = Path(profiles_package.__file__).with_name("shipped")
INSTRUCTIONS: Final = "instructions.txt"
MANNER: Final = "manner.yaml"
FRONT_MATTER: Final = "profile.md"
FILES: Final = (
    *(INSTRUCTIONS, "tools.txt", "voice.txt", "greeting.txt", "about.txt", "moves.txt"),
    *(MANNER, FRONT_MATTER),
)
"""What a bundle may have."""
MAX_BUNDLE_BYTES: Final = 512 << 10
MAX_VERSIONS: Final = 1000
"""Of all personalities of a tenant."""


@dataclass(frozen=True)
class PersonaBundle:
    """The texts of a personality by file name, checked."""

    id: str
    files: Mapping[str, str]

    def __post_init__(self) -> None:
        if not PERSONA_ID.fullmatch(self.id):
            raise InvalidParameter(
                f"{self.id[:80]!r} can't be the name of a personality",
                hint="small letters, digits, - and _, at most 64",
            )
        for file, text in self.files.items():
            _check_text(file, text)
        if not any(self.files.get(file, "").strip() for file in (INSTRUCTIONS, MANNER, FRONT_MATTER)):
            raise InvalidParameter("a personality needs instructions", hint=f"in {INSTRUCTIONS}")
        if len(self.body.encode()) > MAX_BUNDLE_BYTES:
            raise InvalidParameter(f"the texts have more than {MAX_BUNDLE_BYTES >> 10} KiB", hint="make them shorter")

    @cached_property
    def body(self) -> str:
        """The canonical form, which the etag is of."""
        content = {"id": self.id, "files": dict(self.files)}
        return json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    @cached_property
    def etag(self) -> str:
        return hashlib.sha256(self.body.encode()).hexdigest()


def from_folder(persona: str, folder: Path, prompts: Sequence[Path]) -> PersonaBundle:
    """The bundle of a profile's folder; `prompts`: where its placeholders are. Raises InvalidParameter."""
    texts = Texts(folder)
    files = {file: text for file in FILES if (text := texts.read(file)) is not None}
    if INSTRUCTIONS in files:
        files[INSTRUCTIONS] = Expansion(prompts, texts).expanded(files[INSTRUCTIONS], INSTRUCTIONS) + "\n"
    if texts.problems:
        told = "; ".join(map(str, texts.problems[:3]))
        raise InvalidParameter(f"{persona} can't be sent to devices: {told}", hint="a device needs all its texts")
    return PersonaBundle(persona, files)


def from_profile(profiles: Profiles, name: str) -> PersonaBundle:
    """The bundle of a profile of this computer. Raises UnknownProfile, InvalidParameter."""
    place = profiles.place(name)
    return from_folder(place.name, place.folder, (profiles.folder / "prompts", SHIPPED / "prompts"))


def shipped() -> dict[str, Path]:
    """The folders of the profiles that come with the program, by name."""
    return {
        folder.name: folder
        for folder in sorted(SHIPPED.iterdir())
        if folder.is_dir() and PERSONA_ID.fullmatch(folder.name) and folder.name != "prompts"
    }


def from_shipped(name: str) -> PersonaBundle:
    """The bundle of a profile that comes with the program. Raises NotFound, InvalidParameter."""
    folder = shipped().get(name)
    if folder is None:
        raise NotInTenant(f"no personality called {name[:64]!r} comes with the program", hint="upload it: its texts")
    return from_folder(name, folder, (folder.parent / "prompts",))


def put(sql: Sql, tenant: str, bundle: PersonaBundle, *, by: str) -> bool:
    """Store a bundle and make it the latest of its name; whether it is new. Raises InvalidParameter."""
    key, now = (tenant, bundle.id, bundle.etag), now_ms()
    latest = sql.row("SELECT max(created_at) AS at FROM persona WHERE tenant = ? AND id = ?", tenant, bundle.id)
    if latest is not None and latest["at"] is not None:
        now = max(now, latest["at"] + 1)  # in the same millisecond, or after a clock was set back
    if sql.run(
        "UPDATE persona SET created_at = ?, created_by = ? WHERE tenant = ? AND id = ? AND etag = ?", now, by, *key
    ):
        return False
    count = sql.row("SELECT count(*) AS n FROM persona WHERE tenant = ?", tenant)
    if count is not None and count["n"] >= MAX_VERSIONS:
        raise InvalidParameter(f"there are {MAX_VERSIONS} versions of personalities already", hint="remove old ones")
    sql.run(
        "INSERT INTO persona (tenant, id, etag, body, created_at, created_by) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING",
        *(*key, bundle.body, now, by),
    )
    return True


def get(sql: Sql, tenant: str, persona: str, etag: str | None = None) -> Row:
    """A row of the table, the latest without an etag. Raises NotFound."""
    row = None
    if PERSONA_ID.fullmatch(persona) and (etag is None or ETAG.fullmatch(etag)):
        row = sql.row(
            "SELECT * FROM persona WHERE tenant = ? AND id = ? AND (CAST(? AS TEXT) IS NULL OR etag = ?)"
            " ORDER BY created_at DESC, etag LIMIT 1",
            *(tenant, persona, etag, etag),
        )
    if row is None:
        version = f" of {etag[:12]}" if etag else ""
        raise NotInTenant(f"no personality {persona[:64]!r}{version}", hint="reachy-mind fleet persona list")
    return row


def listed(sql: Sql, tenant: str, *, after: str = "", limit: int = 100) -> list[dict[str, Any]]:
    """A page of a tenant's personalities by name, each with its versions, the latest first."""
    names = sql.rows(
        "SELECT DISTINCT id FROM persona WHERE tenant = ? AND id > ? ORDER BY id LIMIT ?", tenant, after, limit
    )
    if not names:
        return []
    rows = sql.rows(
        "SELECT id, etag, created_at, created_by FROM persona WHERE tenant = ? AND id >= ? AND id <= ?"
        " ORDER BY id, created_at DESC, etag",
        *(tenant, names[0]["id"], names[-1]["id"]),
    )
    versions: dict[str, list[Row]] = {}
    for row in rows:
        versions.setdefault(row.pop("id"), []).append(row)
    return [{"id": persona, "etag": of[0]["etag"], "versions": of} for persona, of in versions.items()]


def remove(sql: Sql, tenant: str, persona: str, etag: str) -> None:
    """Remove a version that is not in use: no device should have it, no rollout can go back to it.

    Raises NotFound, InvalidParameter.
    """
    get(sql, tenant, persona, etag)
    wanted = {
        row["device"]: json.loads(row["desired"]).get("persona")
        for row in sql.rows(
            "SELECT twin.device, twin.desired FROM twin JOIN device ON device.id = twin.device WHERE device.tenant = ?",
            tenant,
        )
    }
    before = sql.rows(
        "SELECT rollout_device.device, rollout_device.previous, rollout.persona, rollout.etag FROM rollout_device"
        " JOIN rollout ON rollout.id = rollout_device.rollout"
        " WHERE rollout.tenant = ? AND rollout.state <> 'rolled_back' AND rollout_device.previous IS NOT NULL",
        tenant,
    )
    used = list(wanted.values()) + [
        json.loads(row["previous"])
        for row in before
        if wanted.get(row["device"]) == {"id": row["persona"], "etag": row["etag"]}  # it can be rolled back
    ]
    running = sql.row(
        "SELECT id FROM rollout WHERE tenant = ? AND persona = ? AND etag = ? AND state IN ('running', 'paused')",
        *(tenant, persona, etag),
    )
    if running is not None or {"id": persona, "etag": etag} in used:
        raise InvalidParameter(
            f"this version of {persona} is in use", hint="roll out another one, or roll the old rollout back, first"
        )
    sql.run("DELETE FROM persona WHERE tenant = ? AND id = ? AND etag = ?", tenant, persona, etag)


def _check_text(file: str, text: str) -> None:
    """Raises InvalidParameter."""
    if file not in FILES:
        raise InvalidParameter(f"a personality has no file {file[:60]!r}", hint=f"it has {', '.join(FILES)}")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise InvalidParameter(f"{file} has characters that can't be stored", hint="save it as UTF-8") from None
    if size > LARGEST_BYTES or "\0" in text:
        raise InvalidParameter(f"{file}: text of at most {LARGEST_BYTES >> 10} KiB", hint="make it shorter")
    if file == MANNER and text.strip() and (slips := phrasing(text)[1]):
        raise InvalidParameter(f"{file}: line {slips[0][0]}: {slips[0][1]}", hint="keys are those of the phrasebook")
