"""`reachy-mind audit`: list the tool calls that were recorded, and verify that the record is unchanged."""

from __future__ import annotations

import json
import time
from typing import Annotated

import typer

app = typer.Typer(name="audit", help="The record of tool calls: list, verify.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command("list")
def list_calls(
    tool: Annotated[str, typer.Option(help="Of this tool only.")] = "",
    status: Annotated[str, typer.Option(help="ok, error, denied, cancelled, started or interrupted.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most this many.")] = 20,
    offset: Annotated[int, typer.Option(min=0, help="Skip this many.")] = 0,
    as_json: Json = False,
) -> None:
    """List tool calls, newest first: when, what, who asked, how it ended."""
    from reachy_mind.cli.memory import request

    response = request("GET", "audit", tool=tool, status=status, limit=limit, offset=offset)
    if as_json:
        print(json.dumps(response))
        return
    for entry in response["entries"]:
        at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(entry["at"]))
        who = " ".join(part for part in (entry["channel"], entry["principal"]) if part)
        print(f"{entry['seq']:>6}  {at}  {entry['status']:11} {entry['tool']:28} {who}")
    print(f"{len(response['entries'])} of {response['total']}")


@app.command()
def verify(as_json: Json = False) -> None:
    """Verify the whole record: rows, both ends, content. Exit code 1 when something was changed, cut or removed."""
    from reachy_mind.config.configuration import load
    from reachy_mind.tools.audit_verification import verify_file

    found = verify_file(load().home.database_file)
    if as_json:
        print(json.dumps(found.as_dict()))
    else:
        print(found.line if found.ok else "\n".join(fault.message for fault in found.faults))
    raise typer.Exit(0 if found.ok else 1)
