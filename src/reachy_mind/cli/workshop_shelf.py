"""`reachy-mind workshop list|show|diff|approve|reject|rollback|deactivate|export|import`: tools that the robot made.

Every command goes to the running mind, else to one for a moment. What a person has to decide is asked at the terminal.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

import typer

from reachy_mind.cli import workshop
from reachy_mind.cli.workshop import Json

app = workshop.app
MAX_NUMBER = 1_000_000
Name = Annotated[str, typer.Argument(help="A tool of the workshop.", metavar="NAME")]


def _number(text: str) -> int:
    number = text.lower().removeprefix("v")
    if not number.isdecimal() or not 0 < int(number) < MAX_NUMBER:
        raise typer.BadParameter(f"{text!r} is no version: 2 or v2")
    return int(number)


Version = Annotated[
    int | None, typer.Argument(parser=_number, help="Which version; the latest without it.", metavar="[VERSION]")
]
Earlier = Annotated[
    int | None, typer.Argument(parser=_number, help="To which version; the one before without it.", metavar="[VERSION]")
]
Yes = Annotated[bool, typer.Option("--yes", help="You say yes now to what it would ask.")]


@app.command("list")
def list_tools(as_json: Json = False) -> None:
    """The tools that were made or imported, their versions, and which one is in use."""
    from reachy_mind.cli.tools import request

    response = request("POST", "tools/execute", {"tool_name": "workshop.list_tools"}, robot="none")
    _require_success(response)
    listed = response["result"]
    if as_json:
        print(json.dumps(listed))
        return
    for tool in listed["tools"]:
        versions = ", ".join(f"v{each['version']} {each['state']}" for each in tool["versions"])
        print_text(f"{tool['name']}: {tool['trouble'] or versions}")
        if tool["description"]:
            print_text(f"  {tool['description'].splitlines()[0]}")
            print(f"  may use: {', '.join(tool['capabilities']) or 'nothing'}")
    if not listed["tools"]:
        print("no tools yet")


@app.command()
def show(name: Name, version: Version = None, as_json: Json = False) -> None:
    """One version: what it may use, who made and approved it, its explanation, its trial and its code."""
    if as_json:
        print(json.dumps(_version(name, version)))
    else:
        show_version(name, version)


@app.command()
def diff(
    name: Name,
    first: Annotated[int | None, typer.Argument(parser=_number, metavar="[OLD]", help="From this version.")] = None,
    second: Annotated[int | None, typer.Argument(parser=_number, metavar="[NEW]", help="To this version.")] = None,
    as_json: Json = False,
) -> None:
    """What changes from a version to another: added capabilities first, then the code.

    With one version, from the one in use to it; with none, from the one in use to the latest.
    """
    new, old = (second, first) if second is not None else (first, None)
    changes = _version(name, new, old)["changes"]
    if as_json:
        print(json.dumps(changes))
        return
    _print_changes(changes)


@app.command()
def approve(name: Name, version: Version = None, yes: Yes = False, as_json: Json = False) -> None:
    """Approve a version and use it: this very code, with these capabilities. You are shown both first."""
    found = _version(name, version)
    if not as_json:
        _print_about(found)
        _print_changes(found["changes"])
    content = {key: found[key] for key in ("version", "sha256", "capabilities")}
    _change(f"tools/{_quoted(name)}/approve", content, yes=yes, as_json=as_json)


@app.command()
def reject(
    name: Name,
    version: Version = None,
    reason: Annotated[str, typer.Option(help="Why, for people who look at it later.")] = "",
    as_json: Json = False,
) -> None:
    """Reject a version; if it is in use, it is no longer."""
    content = {"version": version or _latest(name), "reason": reason}
    _change(f"tools/{_quoted(name)}/reject", content, as_json=as_json)


@app.command()
def rollback(
    name: Name,
    version: Earlier = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Go back to an approved version."""
    _change(f"tools/{_quoted(name)}/rollback", {"version": version}, yes=yes, as_json=as_json)


@app.command()
def deactivate(name: Name, as_json: Json = False) -> None:
    """Stop using a tool; its versions are kept."""
    _change(f"tools/{_quoted(name)}/deactivate", {}, as_json=as_json)


@app.command()
def export(
    name: Name,
    version: Version = None,
    file: Annotated[Path | None, typer.Option("--to", help="Where; NAME-vN.json without it, - to print it.")] = None,
    as_json: Json = False,
) -> None:
    """Write a version as a signed bundle, to share it. It has no words of the person who asked for the tool."""
    from reachy_mind.cli.tools import request
    from reachy_mind.errors import InvalidParameter

    number = version or _latest(name)
    bundle = request("GET", f"tools/{_quoted(name)}/versions/{number}/bundle", robot="none")["bundle"]
    target = file or Path(f"{name}-v{number}.json")
    if str(target) == "-":
        print(bundle, end="")
        return
    try:
        with target.open("x", encoding="utf-8") as opened:
            opened.write(bundle)
    except OSError as error:
        raise InvalidParameter(f"{target} can't be written: {error.strerror or error}", hint="--to FILE") from None
    print(json.dumps({"file": str(target), "name": name, "version": number}) if as_json else f"written: {target}")


@app.command("import")
def import_tool(
    file: Annotated[Path, typer.Argument(help="A bundle of `export`.", metavar="FILE")], as_json: Json = False
) -> None:
    """Put the tool of a bundle on the shelf, as a draft: it is tried and approved here, whoever signed it."""
    from reachy_mind.errors import InvalidParameter
    from reachy_mind.tools.builtin.workshop import MAX_BUNDLE_BYTES

    try:
        if file.stat().st_size > MAX_BUNDLE_BYTES:
            raise InvalidParameter(f"{file} is too large for a bundle", hint=f"at most {MAX_BUNDLE_BYTES >> 20} MiB")
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidParameter(f"{file} can't be read: {error}", hint="a file of `workshop export`") from None
    _change("tools/import", {"bundle": text}, as_json=as_json)


def show_version(name: str, number: int | None) -> None:
    """Print one version: what is known of it first, then what its author says, and its code."""
    found = _version(name, number)
    _print_about(found)
    print_text(f"\n{found['code'].rstrip()}")


def approve_version(name: str, shown: dict[str, Any], *, yes: bool) -> str:
    """Ask the person at the terminal about the version that was shown, or take their `yes`. Returns its state."""
    from reachy_mind.cli.tools import request
    from reachy_mind.tools.definition import ToolError

    content = {key: shown[key] for key in ("version", "sha256", "capabilities")} | {"call_id": uuid4().hex}
    try:
        done = request("POST", f"tools/{_quoted(name)}/approve", content, robot="none", person=True, yes=yes)
    except ToolError as error:
        if error.code != "NOT_CONFIRMED":
            raise
        return "tested"
    return str(done["state"])


def _latest(name: str) -> int:
    from reachy_mind.cli.tools import request

    return int(request("GET", f"tools/{_quoted(name)}/versions", robot="none")["total"])


def _version(name: str, number: int | None, against: int | None = None) -> dict[str, Any]:
    from reachy_mind.cli.tools import request

    query = f"?against={against}" if against else ""
    return request("GET", f"tools/{_quoted(name)}/versions/{number or _latest(name)}{query}", robot="none")


def _change(route: str, content: dict[str, Any], *, yes: bool = False, as_json: bool) -> None:
    """A change through the gate; a person at the terminal can be asked, a script can't."""
    from reachy_mind.cli.tools import request

    done = request(
        *("POST", route, content | {"call_id": uuid4().hex}),
        robot="none",
        person=yes or sys.stdin.isatty(),
        yes=yes,
    )
    print(json.dumps(done) if as_json else done["message"])


def _print_about(found: dict[str, Any]) -> None:
    at = datetime.fromtimestamp(found["created_at"]).astimezone().isoformat(sep=" ", timespec="minutes")
    print_text(
        f"{found['name']} v{found['version']}: {found['state']}" + (f" ({found['reason']})" if found["reason"] else "")
    )
    print_text(f"  hash         {found['sha256']}")
    print_text(f"  may use      {', '.join(found['capabilities']) or 'nothing'}, {found['timeout_s']:g} s for one call")
    for capability, words in found["allows"].items():
        print_text(f"    {capability}: {words}")
    _print_trial(found)
    print_text(f"  made         {at} by {found['author']}")
    if found["signer"]:
        print_text(f"  signed by    {found['signer']}" + ("" if found["known_signer"] else " (unknown signer)"))
    if found["approved_by"]:
        print_text(f"  approved     {found['approved_by']}")
    for fault in found["faults"]:
        print_text(f"  fault        {fault}")
    if found["noticed"]:
        print_text(f"  not tried    {', '.join(found['noticed'])}: it did so since, and never in its trial")
    if found["request"]:
        print_text(f"  request      {found['request']}")
    print_text(f"  its author   says of it: {found['description'].strip()}")
    if found["explanation"]:
        print_text(f"  explanation  {found['explanation'].strip()}")


def _print_trial(found: dict[str, Any]) -> None:
    """What the host saw it do."""
    results = found["results"] or {}
    print_text(f"  trial        {'passed' if found['passed'] else 'not passed here'}")
    if "calls" in results:
        print_text(f"    it called: {', '.join(results['calls']) or 'nothing'}")
    for warning in results.get("warnings", ()):
        print_text(f"    warning: {warning}")


def _print_changes(changes: dict[str, Any]) -> None:
    before = f"v{changes['from']}" if changes["from"] else "nothing"
    print_text(f"\nfrom {before} to v{changes['to']}:")
    for capability in changes["added_capabilities"]:
        print_text(f"  + may now use {capability}")
    for capability in changes["removed_capabilities"]:
        print_text(f"  - no longer uses {capability}")
    for line in changes["changed"]:
        print_text(f"  {line}")
    if changes["code"]:
        print_text(f"\n{changes['code']}")


def print_text(text: str) -> None:
    """Print text by strangers: characters that would hide or rearrange what is read are shown as escapes."""
    hidden = ("Cc", "Cf", "Zl", "Zp", "Co", "Cs")
    shown = (
        each.encode("unicode_escape").decode() if unicodedata.category(each) in hidden and each not in "\n\t" else each
        for each in text
    )
    print("".join(shown))


def _quoted(name: str) -> str:
    from urllib.parse import quote

    return quote(name, safe="")


def _require_success(response: dict[str, Any]) -> None:
    """Raises ToolError with the error of a call."""
    from reachy_mind.tools.definition import ToolError

    if response["error"] is not None:
        error = response["error"]
        raise ToolError(error["code"], error["message"], hint=error["hint"])
