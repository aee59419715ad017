"""`reachy-mind token`: create, list and revoke access tokens of programs and logins of browsers."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from reachy_mind.access.tokens import Token

app = typer.Typer(name="token", help="Who may use the robot over HTTP: programs, browsers.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Scope = Annotated[
    list[str] | None,
    typer.Option(
        "--scope", "-s", help="What for: mcp, read, talk, control, confirm, admin; again for several.", metavar="NAME"
    ),
]


@app.command("new")
def new(
    name: Annotated[str, typer.Argument(help="Whose it is, for you.")],
    scope: Scope = None,
    days: Annotated[float | None, typer.Option(help="How long it is good; else until it is revoked.")] = None,
    as_json: Json = False,
) -> None:
    """Make a token, for mcp unless told otherwise. It is shown this once: only a hash of it is kept."""
    from reachy_mind.access.tokens import Tokens
    from reachy_mind.config.configuration import load

    token, text = Tokens(load().home).new(name, scope or ("mcp",), days=days)
    if as_json:
        print(json.dumps(token.public_dict() | {"token": text}))
        return
    print(text)
    until = f", until {_day(token.expires)}" if token.expires else ""
    typer.echo(f"token {token.id} ({token.name}) for {', '.join(token.scopes)}{until}; it is not shown again", err=True)


@app.command("list")
def list_tokens(as_json: Json = False) -> None:
    """List the tokens of programs and logins of browsers, without their secrets."""
    from reachy_mind.access.tokens import Tokens
    from reachy_mind.config.configuration import load

    found = Tokens(load().home).all()
    if as_json:
        print(json.dumps({"tokens": [token.public_dict() for token in found]}))
        return
    for token in found:
        scopes = ",".join(token.scopes)
        print(f"{token.id}  {token.kind:8} {_day(token.created)}  {token.name:24} {scopes:30} {_use(token)}".rstrip())
    if not found:
        print("no tokens: reachy-mind token new NAME")


@app.command("revoke")
def revoke(which: Annotated[str, typer.Argument(help="Its id or name.")], as_json: Json = False) -> None:
    """Take a token or a login back: it is refused from now on, and what it has open is closed within seconds."""
    from reachy_mind.config.configuration import load
    from reachy_mind.mcp.config_file import revoke_token

    token = revoke_token(load().home, which)
    print(json.dumps(token.public_dict() | {"revoked": True}) if as_json else f"{token.name} ({token.id}) is revoked")


@app.command("login")
def login(
    scope: Scope = None,
    days: Annotated[float, typer.Option(help="How long the browser may stay.", min=0.01, max=365)] = 30.0,
    as_json: Json = False,
) -> None:
    """Let a browser in, such as a phone's: a link, and a code for its camera, that work once, for ten minutes."""
    import asyncio

    from reachy_mind.client import Client
    from reachy_mind.config.configuration import load
    from reachy_mind.errors import NotReady
    from reachy_mind.storage import owner

    running = owner.find(load().home)
    if running is None:
        raise NotReady("no mind is running", hint="reachy-mind run --lan")
    request: dict[str, Any] = {"days": days} | ({"scopes": scope} if scope else {})
    response = asyncio.run(Client(running).ask("POST", "logins", request))
    if as_json:
        print(json.dumps(response))
        return
    show_link(response["urls"][0])


def show_link(url: str) -> None:
    """Print a login link on stderr, with a QR code if it works from other devices."""
    import sys

    import segno

    if url.startswith("https://"):
        segno.make(url, error="l").terminal(out=sys.stderr, compact=True, border=2)
    print(f"log in, once, within ten minutes: {url}", file=sys.stderr)


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(seconds))


def _use(token: Token) -> str:
    used = f"used {_day(token.last_used)}" if token.last_used else "never used"
    if token.expires is None:
        return used
    return f"{used}, {'over' if token.expired else 'until'} {_day(token.expires)}"
