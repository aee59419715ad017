"""`reachy-mind fleet operators|tenants|audit`: who may steer devices, and what they did."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from reachy_mind.cli.fleet import app
from reachy_mind.cli.fleet_client import Json, Key, Url, connect, when

if TYPE_CHECKING:
    from reachy_mind.cli.fleet_client import Content

operators_app = typer.Typer(name="operators", help="Who may steer devices: keys and roles.", no_args_is_help=True)
tenants_app = typer.Typer(name="tenants", help="Homes and houses that see only their own.", no_args_is_help=True)
app.add_typer(operators_app)
app.add_typer(tenants_app)


@operators_app.command("new")
def new(
    name: Annotated[str, typer.Argument(help="Whose key it is.")],
    role: Annotated[str, typer.Option(help="viewer, operator, admin or platform.")] = "operator",
    days: Annotated[float | None, typer.Option(help="How long it is valid; else until it is revoked.")] = None,
    tenant: Annotated[str | None, typer.Option(help="Of another tenant: for the role platform.")] = None,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Make a key. It is shown this once: only a hash of it is kept."""
    content: Content = {"name": name, "role": role}
    content |= {"days": days} if days is not None else {}
    content |= {"tenant": tenant} if tenant is not None else {}
    with connect(url, key) as client:
        made = client.ask("POST", "operators", content)
    if as_json:
        print(json.dumps(made))
        return
    print(made["key"])
    until = f", until {when(made['operator']['expires_at'])}" if made["operator"]["expires_at"] else ""
    typer.echo(f"key of {name}, {role}{until}; it is not shown again", err=True)


@operators_app.command("list")
def list_operators(url: Url = None, key: Key = None, as_json: Json = False) -> None:
    """List the operators, also the revoked ones."""
    with connect(url, key) as client:
        found = list(client.items("operators", "after"))
    if as_json:
        print(json.dumps({"operators": found}))
        return
    for each in found:
        state = "revoked" if each["revoked_at"] else f"used {when(each['last_used_at'])}"
        print(f"{each['id']}  {each['role']:8} {each['name']:28} {state}")


@operators_app.command("revoke")
def revoke(
    which: Annotated[str, typer.Argument(help="Name or id.")], url: Url = None, key: Key = None, as_json: Json = False
) -> None:
    """Refuse a key from now on."""
    with connect(url, key) as client:
        found = client.ask("DELETE", f"operators/{quote(which, safe='')}")
    print(json.dumps(found) if as_json else f"{found['name']} is revoked")


@tenants_app.command("new")
def new_tenant(
    name: Annotated[str, typer.Argument(help="What it is called.")],
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Make a tenant. Then: fleet operators new NAME --role admin --tenant TENANT."""
    with connect(url, key) as client:
        made = client.ask("POST", "tenants", {"name": name})
    print(json.dumps(made) if as_json else f"{made['id']}  {made['name']}")


@tenants_app.command("list")
def list_tenants(url: Url = None, key: Key = None, as_json: Json = False) -> None:
    """List the tenants."""
    with connect(url, key) as client:
        found = list(client.items("tenants", "after"))
    if as_json:
        print(json.dumps({"tenants": found}))
        return
    for each in found:
        print(f"{each['id']}  {each['name']}")


@app.command()
def audit(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most this many.")] = 50,
    verify: Annotated[bool, typer.Option("--verify", help="Check that no row was changed or removed.")] = False,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Show what was done and refused, the latest last."""
    from reachy_mind.errors import MindError

    with connect(url, key) as client:
        if verify:
            found = client.ask("GET", "audit/verify")
            if as_json:
                print(json.dumps(found))
            elif found["whole"]:
                print("every row is as it was written")
            if not found["whole"]:
                raise typer.Exit(1) if as_json else MindError(f"row {found['first_broken']} was changed or is missing")
            return
        rows = [*islice(client.items("audit", "before"), limit)][::-1]
    if as_json:
        print(json.dumps({"audit": rows}))
        return
    for row in rows:
        print(
            f"{row['seq']:6}  {when(row['at'])}  {row['actor']:36} {row['action']:24} {row['object']}  {row['outcome']}"
        )
