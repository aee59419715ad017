"""`reachy-mind backup` and `repair`: an archive of the data folder, and a damaged database rebuilt."""

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
    """Save everything that can't be downloaded again: memories, settings, personalities, photos, moves, tokens.

    The mind may go on running. The archive is for you alone: it contains what people said. Restore it with
    tar -xzf FILE -C DATA-FOLDER while no mind runs.
    """
    from reachy_mind.config.configuration import load
    from reachy_mind.storage.backup import back_up

    home = load().home
    default = home.folder.with_name(f"{home.folder.name}-backups") / time.strftime("%Y%m%d-%H%M%S.tar.gz")
    done = back_up(home, file or default, overwrite=overwrite)
    if as_json:
        print(json.dumps(done.as_dict()))
        return
    print(f"{done.file}: {done.files} files, {done.bytes / 1e6:.1f} MB")
    if done.left_out:
        print(f"left out: {', '.join(done.left_out)}")


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
