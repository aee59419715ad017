"""`reachy-mind token`: what programs show to be let in."""

from __future__ import annotations

import json
import time
from typing import Annotated

import typer

app = typer.Typer(name="token", help="Tokens for programs that use the robot over HTTP.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command("new")
def new(name: Annotated[str, typer.Argument(help="Whose it is, for you.")], as_json: Json = False) -> None:
    """Make a token. It is shown this once: only a hash of it is kept."""
    from reachy_mind.config import load
    from reachy_mind.tokens import Tokens

    token, text = Tokens(load().home).new(name)
    if as_json:
        print(json.dumps(token.described() | {"token": text}))
        return
    print(text)
    typer.echo(f"token {token.id} ({token.name}) for {', '.join(token.scopes)}; it is not shown again", err=True)


@app.command("list")
def list_tokens(as_json: Json = False) -> None:
    """The tokens there are, without themselves."""
    from reachy_mind.config import load
    from reachy_mind.tokens import Tokens

    found = Tokens(load().home).all()
    if as_json:
        print(json.dumps({"tokens": [token.described() for token in found]}))
        return
    for token in found:
        made = time.strftime("%Y-%m-%d", time.localtime(token.created))
        print(f"{token.id}  {made}  {','.join(token.scopes):8}{token.name}")
    if not found:
        print("no tokens: reachy-mind token new NAME")


@app.command("revoke")
def revoke(which: Annotated[str, typer.Argument(help="Its id or name.")], as_json: Json = False) -> None:
    """Take a token back: it is refused from now on."""
    from reachy_mind.config import load
    from reachy_mind.mcp.book import Book
    from reachy_mind.tokens import Tokens

    home = load().home
    token = Tokens(home).revoke(which)
    if token.id in Book(home).read().tokens:
        Book(home).trust("tokens", token.id, trusted=False)
    print(json.dumps(token.described() | {"revoked": True}) if as_json else f"{token.name} ({token.id}) is revoked")
