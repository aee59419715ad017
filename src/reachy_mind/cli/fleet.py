"""`reachy-mind fleet`: devices in many places, steered from one: `serve` is the control plane, the others call it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reachy_mind.cli.fleet_client import Json, Key, Url, connect, when

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.fleet.control.service import ControlService

app = typer.Typer(name="fleet", help="Devices in many places, steered from one.", no_args_is_help=True)


@app.command()
def serve(
    port: Annotated[int | None, typer.Option(help="Port of the control plane.")] = None,
    host: Annotated[
        str | None,
        typer.Option(help="Address to serve at; 0.0.0.0 for the network, there over TLS.", metavar="ADDRESS"),
    ] = None,
    store: Annotated[
        str | None, typer.Option(help="postgresql://... for many nodes; else a file here.", metavar="URL")
    ] = None,
    nats: Annotated[
        str | None, typer.Option(help="nats://... that connects the nodes; else this is the only one.", metavar="URL")
    ] = None,
    public_url: Annotated[str | None, typer.Option(help="Where devices and browsers reach it.", metavar="URL")] = None,
    node: Annotated[str | None, typer.Option(help="Name of this node, unique among the nodes.", metavar="NAME")] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Certificate chain to serve with; else one of our own authority.")
    ] = None,
    key_file: Annotated[Path | None, typer.Option(help="Private key of that certificate.")] = None,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="A proxy in front of it speaks TLS for it.")
    ] = False,
    config: Annotated[Path | None, typer.Option(help="YAML file to read instead of the data folder's.")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show debug logs.")] = False,
) -> None:
    """Run a control plane until Ctrl-C. The first start makes a tenant, and a key for the commands of this machine."""
    import asyncio

    from reachy_mind.config.configuration import load
    from reachy_mind.config.logs import configure_logs

    flags: dict[str, Any] = {"fleet.port": port, "fleet.host": host, "fleet.public_url": public_url}
    flags |= {"fleet.store": store, "fleet.nats": nats, "fleet.node": node}
    flags |= {"fleet.certificate": certificate, "fleet.key_file": key_file}
    flags |= {"fleet.behind_proxy": True} if behind_proxy else {}
    flags |= {"log.level": "debug"} if debug else {}
    configuration = load(config_file=config, flags=flags)
    configure_logs(configuration, "fleet")
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(configuration))


@app.command()
def enroll(
    name: Annotated[str, typer.Argument(help="What the device will be called.")],
    group: Annotated[list[str] | None, typer.Option("--group", "-g", help="Its group; again for several.")] = None,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Make a code that lets one new device in, once, within ten minutes."""
    with connect(url, key) as client:
        made = client.ask("POST", "enrolments", {"name": name, "groups": group or []})
    if as_json:
        print(json.dumps(made))
        return
    import segno

    address = made["url"].removesuffix("/fleet/v1/enrol")
    if sys.stdout.isatty():
        segno.make(made["qr"], error="l").terminal(out=sys.stdout, compact=True, border=2)
    print(f"code for {made['name']}: {made['code'][:4]} {made['code'][4:]}, until {when(made['expires_at'])}")
    print(f"on the device: reachy-mind device enroll {address} {made['code']}")
    if address.startswith("https://"):
        print(f"if its certificate is of our own authority, first: curl -ko fleet-ca.pem {address}/ca.pem")
        print("compare what fleet serve shows with: openssl x509 -in fleet-ca.pem -noout -fingerprint -sha256")
        print("then add: --ca fleet-ca.pem")


async def _serve(configuration: Configuration) -> None:
    import asyncio
    import contextlib
    import signal
    import time

    from reachy_mind.errors import NotReady
    from reachy_mind.fleet.control.service import running
    from reachy_mind.system.stop_signals import on_signal

    began = time.monotonic()
    task = asyncio.current_task()
    assert task is not None
    for each in (signal.SIGTERM, signal.SIGINT):
        on_signal(each, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        async with running(configuration) as service:
            _print_ready(service, time.monotonic() - began)
            await asyncio.shield(service.serving)
            raise NotReady("the server ended by itself", hint="see the log; start it again")
    print("bye", file=sys.stderr)


def _loop_factory() -> Any:
    """uvloop's, if it is installed: it serves more devices with the same processor."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def _print_ready(service: ControlService, took_s: float) -> None:
    """Print the summary: addresses, login, store, bus, how to enrol."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from reachy_mind import __version__

    bound = service.binding
    table = Table(box=None, show_header=False, padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    table.add_row("page", f"[bold]{escape(bound.public_url)}[/bold]")
    if bound.authority:
        table.add_row("authority", escape(f"{bound.authority}, SHA-256 {bound.fingerprint}"))
    table.add_row("login", "with a key: reachy-mind fleet operators new NAME --role admin")
    table.add_row("node", escape(service.plane.hub.node))
    table.add_row("store", escape(service.store))
    table.add_row("bus", escape(service.bus))
    table.add_row("devices", f"{len(service.plane.hub)} connected, room for {service.room}")
    table.add_row("enrol one", "reachy-mind fleet enroll NAME")
    table.add_row("end", "Ctrl-C")
    console = Console(stderr=True, highlight=False)
    console.print(f"\n[bold]Reachy Mind fleet {__version__}[/bold]")
    console.print(table)
    console.print(f"\nready in {took_s:.1f} s")
