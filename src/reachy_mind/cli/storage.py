"""`reachy-mind backup`, `restore` and `repair`: an archive of the data folder, and a damaged database rebuilt."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def backup(
    file: Annotated[
        Path | None, typer.Argument(help="The archive to write, a .tar.gz; else one in DATA-FOLDER-backups.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file if there is one.")] = False,
    as_json: Json = False,
) -> None:
    """Save everything that can't be downloaded again: memories, settings, personalities, photos, moves, tokens, fleet.

    The mind may go on running. The archive is for you alone: it contains what people said. `restore` puts it back.
    """
    from reachy_mind.storage.backup import back_up
    from reachy_mind.storage.home import Home

    home = Home.find()  # settings that can't be read are saved, too
    default = home.folder.with_name(f"{home.folder.name}-backups") / time.strftime("%Y%m%d-%H%M%S.tar.gz")
    done = back_up(home, file or default, overwrite=overwrite)
    elsewhere = _elsewhere()
    if as_json:
        print(json.dumps(done.as_dict() | {"elsewhere": elsewhere}))
        return
    print(f"{done.file}: {done.files} files, {done.bytes / 1e6:.1f} MB")
    if done.left_out:
        print(f"left out: {', '.join(done.left_out)}")
    for place in elsewhere:
        print(f"not in the data folder, save it yourself: {place}")


def restore(
    file: Annotated[Path, typer.Argument(help="An archive that `backup` wrote.")],
    check: Annotated[bool, typer.Option("--check", help="Only read it, and compare it with its hashes.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Replace what is there; the old content is set aside.")] = False,
    as_json: Json = False,
) -> None:
    """Restore a backup into the data folder. Stop the mind, the control plane and the device agent of it first.

    Into a folder with content only with --yes: the old content is then in its folder `replaced`. Models that were
    pulled and logs stay as they are. Nothing changes before the whole archive was read and is intact.
    """
    from reachy_mind.storage.backup_reading import check_backup
    from reachy_mind.storage.home import Home
    from reachy_mind.storage.restore import restore as restore_file

    if check:
        found = check_backup(file.expanduser(), _schemas())
        about: dict[str, Any] = {"files": len(found.files), "bytes": sum(each.bytes for each in found.files.values())}
        about |= {"program": found.header.program, "made_at": found.header.made_at}
        print(json.dumps({"ok": True} | about) if as_json else f"{file}: intact, {_words(about)}")
        return
    done = restore_file(Home.find(), file, _schemas(), over=yes).as_dict()
    if as_json:
        print(json.dumps(done))
        return
    print(f"restored into {done['folder']}: {_words(done)}")
    if done["replaced"]:
        print(f"what was there is in {done['replaced']}: remove it when you are content")


def _words(about: dict[str, Any]) -> str:
    size = f"{about['bytes'] / 1e6:.1f} MB"
    return f"{about['files']} files, {size}, made by {about['program']} at {about['made_at']}"


def _schemas() -> dict[str, int]:
    """The newest version that this program knows of each database in the data folder."""
    from reachy_mind.fleet.control.store.store import MIGRATIONS as CONTROL
    from reachy_mind.fleet.device.store import MIGRATIONS as DEVICE
    from reachy_mind.storage.database import MIND, read_migrations

    packages = {"mind.db": MIND, "fleet/fleet.db": CONTROL, "fleet/device/device.db": DEVICE}
    return {file: len(read_migrations(package)) for file, package in packages.items()}


def _elsewhere() -> list[str]:
    """What the settings keep outside of the data folder."""
    from reachy_mind.config.configuration import load
    from reachy_mind.errors import MindError

    try:
        configuration = load()
    except MindError as error:
        return [f"unknown, because the settings can't be read ({error.message})"]
    found = []
    device, folder = configuration.settings.device.cache_folder, configuration.home.folder
    if device is not None and not device.absolute().is_relative_to(folder):
        found.append(f"{device} (device.cache_folder)")
    if configuration.settings.fleet.store is not None:
        found.append("the PostgreSQL database of fleet.store (pg_dump, docs/storage.md)")
    if configuration.file is not None and not configuration.file.absolute().is_relative_to(folder):
        found.append(f"{configuration.file} (settings)")
    if dotenv := sorted({origin.rpartition(" ")[0] for origin in configuration.origins.values() if ".env " in origin}):
        found += [f"{place} (settings and keys)" for place in dotenv]
    return found


def repair(as_json: Json = False) -> None:
    """Rebuild a damaged database from all that can be read of it, and tell what was lost. Stop the mind first.

    The damaged file is kept under another name. A healthy database is left alone.
    """
    import asyncio

    from reachy_mind.config.configuration import load
    from reachy_mind.storage.owner import Ownership
    from reachy_mind.storage.repair import repair as repair_file
    from reachy_mind.tools.audit import state_repair

    home = load().home
    with Ownership(home):
        report = repair_file(home.database_file)
        if report.repaired:
            report.notes += asyncio.run(state_repair(home.database_file))
    if as_json:
        print(json.dumps(report.as_dict()))
        return
    _print_report(report.as_dict())


def _print_report(report: dict[str, Any]) -> None:
    if not report["repaired"]:
        print("the database is intact; nothing was changed")
        return
    print(f"damage: {report['problems'][0]}")
    print("kept: " + (", ".join(f"{count} {table}" for table, count in report["rows"].items()) or "nothing"))
    lost = [f"{count} {table}" for table, count in report["lost"].items()]
    if report["lost_pages"]:
        lost.append(f"{report['lost_pages']} pages with an unknown number of rows")
    print(f"lost: {', '.join(lost) or 'nothing that was seen'}")
    if report["changed"]:
        print(f"in {report['changed']} rows characters could not be read and were replaced")
    for note in report["notes"]:
        print(note)
    print(f"the damaged file is kept: {report['kept']}")
