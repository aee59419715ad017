"""`reachy-mind device`: a device of a fleet: `enroll` takes this machine into one, `simulate` makes many for tests."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reachy_mind.cli.fleet_client import Json, Key, Url, connect

if TYPE_CHECKING:
    from reachy_mind.cli.fleet_client import FleetClient
    from reachy_mind.fleet.device.simulated_device import DeviceCredentials
    from reachy_mind.fleet.device.simulation import Simulation

app = typer.Typer(name="device", help="A device of a fleet.", no_args_is_help=True)
REPORT_S = 2.0
QUIET_S = 30.0


@app.command()
def enroll(
    address: Annotated[str, typer.Argument(help="Where the control plane is, such as https://fleet.home:8700.")],
    code: Annotated[str, typer.Argument(help="The code that fleet enroll showed.")],
    ca: Annotated[
        Path | None, typer.Option(help="File of its certificate authority, if it has one of its own.")
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Without TLS, although it is on another machine.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Take this machine into a fleet: exchange the code for a token, which is kept in the data folder."""
    import asyncio

    from reachy_mind.config.configuration import load
    from reachy_mind.fleet.device.enrolment import enrol, identity_file
    from reachy_mind.fleet.device.hub_address import HubAddress

    home = load().home
    identity = asyncio.run(enrol(home, HubAddress(address, ca, insecure), code))
    if as_json:
        print(json.dumps({"device": identity.device, "name": identity.name, "url": identity.url}))
    else:
        print(f"enrolled as {identity.name} ({identity.device}); its token is in {identity_file(home)}")


@app.command()
def simulate(
    number: Annotated[int, typer.Option("-n", "--number", help="How many devices.", min=1, max=20_000)] = 100,
    seconds: Annotated[
        float | None, typer.Option(help="How long, once all are connected; else until Ctrl-C.", min=1)
    ] = None,
    presses: Annotated[float, typer.Option(help="Button presses a second, all together.", min=0, max=5000)] = 10.0,
    connects: Annotated[float, typer.Option(help="Devices that connect a second.", min=1, max=5000)] = 200.0,
    group: Annotated[str | None, typer.Option("--group", "-g", help="A group for them.")] = None,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Connect many simulated devices to a control plane, which is told to forget them at the end."""
    import asyncio
    import contextlib
    import secrets

    from reachy_mind import log
    from reachy_mind.fleet.device.hub_address import HubAddress
    from reachy_mind.fleet.device.simulated_device import DeviceCredentials

    log.configure("warning")
    names: dict[str, Any] = {"prefix": f"simulated-{secrets.token_hex(3)}", "count": number}
    with connect(url, key) as client:
        address = HubAddress(client.url, Path(client.authority) if client.authority else None)
        wanted = names | ({"group": group} if group else {})
        made = [DeviceCredentials(**each) for each in client.ask("POST", "devices/bulk", wanted)]
        figures: dict[str, Any] = {}
        try:
            with contextlib.suppress(KeyboardInterrupt):
                figures = asyncio.run(_simulate(made, address, seconds, presses, connects, quiet=as_json))
        finally:
            _forget(client, names)
    if as_json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:22} {value}")


async def _simulate(
    made: list[DeviceCredentials],
    address: Any,
    seconds: float | None,
    presses: float,
    connects: float,
    *,
    quiet: bool,
) -> dict[str, Any]:
    import asyncio
    import contextlib
    import signal
    import time

    from reachy_mind.fleet.device.simulation import Simulation
    from reachy_mind.system.stop_signals import on_signal

    stopped = asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        on_signal(each, stopped.set)
    began = time.monotonic()
    async with Simulation(made, [address], connects_per_s=connects) as simulation:
        deadline: float | None = None
        connected_s: float | None = None
        while not stopped.is_set() and (deadline is None or time.monotonic() < deadline):
            if connected_s is None and simulation.connected == len(made):
                connected_s = time.monotonic() - began
                deadline = time.monotonic() + seconds if seconds is not None else None
                if presses:
                    simulation.press_buttons(presses)
            if not quiet:
                _tell(simulation)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(REPORT_S if deadline is None else min(REPORT_S, seconds or REPORT_S)):
                    await stopped.wait()
        await simulation.stop_pressing()
        await simulation.until_quiet(QUIET_S)
        return _figures(simulation, connected_s)


def _figures(simulation: Simulation, connected_s: float | None) -> dict[str, Any]:
    """What happened, times in milliseconds."""
    counters = simulation.counters
    waited = sorted(counters.ack_s)
    return {
        "devices": len(simulation.devices),
        "connected": simulation.connected,
        "all_connected_s": None if connected_s is None else round(connected_s, 1),
        "connects": counters.connects,
        "failures": dict(counters.failures),
        "closes": {str(code): count for code, count in counters.closes.items()},
        "events": counters.accepted,
        "acknowledged": counters.acknowledged,
        "not_acknowledged": simulation.waiting,
        "commands": counters.commands,
        "ack_p50_ms": round(1000 * waited[len(waited) // 2], 1) if waited else None,
        "ack_p99_ms": round(1000 * waited[int(len(waited) * 0.99)], 1) if waited else None,
    }


def _tell(simulation: Simulation) -> None:
    counters = simulation.counters
    print(
        f"\r{simulation.connected}/{len(simulation.devices)} connected,"
        f" {counters.acknowledged}/{counters.accepted} events acknowledged, {counters.commands} commands,"
        f" {sum(counters.failures.values())} failed attempts   ",
        end="",
        file=sys.stderr,
        flush=True,
    )


def _forget(client: FleetClient, names: dict[str, Any]) -> None:
    from reachy_mind.errors import MindError

    try:
        client.ask("POST", "devices/bulk/revoke", names)
    except MindError as error:
        print(f"\nthe simulated devices {names['prefix']}-... could not be revoked: {error.message}", file=sys.stderr)
