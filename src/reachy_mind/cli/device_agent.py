"""`reachy-mind device run`: the device agent, and the commands that ask it, press its buttons and install it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from reachy_mind.cli.device import app
from reachy_mind.cli.fleet_client import Json

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration


@app.command("run")
def run_agent(
    pins: Annotated[str | None, typer.Option(help="auto, gpiozero, mock or none.")] = None,
    light: Annotated[str | None, typer.Option(help="rgb, strip or none.")] = None,
    sound: Annotated[str | None, typer.Option(help="auto, soundcard or null.")] = None,
    capture: Annotated[
        Path | None, typer.Option(help="WAV file of what is heard, for --sound null.", metavar="FILE")
    ] = None,
    display: Annotated[str | None, typer.Option(help="none or console.")] = None,
    config: Annotated[Path | None, typer.Option(help="YAML file to read instead of the data folder's.")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show debug logs.")] = False,
) -> None:
    """Run the device agent until Ctrl-C: buttons, light, sound and its link to the fleet, also without a network."""
    import asyncio
    import os
    import sys

    from reachy_mind.config.logs import configure_logs

    flags: dict[str, Any] = {"device.pins": pins, "device.light": light, "device.sound": sound}
    flags |= {"device.sound_capture": capture, "device.display": display}
    flags |= {"log.level": "debug"} if debug else {}
    configuration = _configuration(config, flags)
    configure_logs(configuration, "device")
    if asyncio.run(_run(configuration)):
        # Under systemd the watchdog goes on for this process.
        os.execv(sys.executable, [sys.executable, "-m", "reachy_mind", *sys.argv[1:]])  # noqa: S606 -- itself again


@app.command()
def status(as_json: Json = False) -> None:
    """How the device agent of this machine is."""
    told = _ask({"do": "status"})
    if as_json:
        print(json.dumps(told))
        return
    for name, value in told.items():
        shown = ", ".join(f"{key} {part}" for key, part in value.items()) if isinstance(value, dict) else value
        print(f"{name:14} {'-' if shown in (None, '') else shown}")


@app.command()
def press(
    button: Annotated[Literal["red", "green", "blue"], typer.Argument(help="Which button.")],
    how: Annotated[Literal["single", "double", "long"], typer.Argument(help="How.")] = "single",
    as_json: Json = False,
) -> None:
    """Press a button of the device agent of this machine, on mock pins or without any."""
    told = _ask({"do": "press", "button": button, "press": how})
    print(json.dumps(told) if as_json else f"pressed {button} ({how})")


@app.command()
def discover(
    seconds: Annotated[float, typer.Option(help="How long to listen.", min=0.5, max=60)] = 3.0, as_json: Json = False
) -> None:
    """Find control planes on the local network. Nothing that they say of themselves is proven."""
    import asyncio

    from reachy_mind.fleet.agent.discovery import find_hubs

    found = asyncio.run(find_hubs(seconds))
    if as_json:
        print(json.dumps([{"name": hub.name, "url": hub.url, "authority": hub.authority} for hub in found]))
        return
    for hub in found:
        print(f"{hub.name:24} {hub.url:40} {hub.authority}")
    if not found:
        print("none found: is it on this network, and not on loopback alone?")


@app.command()
def install(
    user: Annotated[str | None, typer.Option(help="Who it runs as; default: you.")] = None,
    folder: Annotated[
        Path, typer.Option(help="Where the unit is written; a folder of yours prints what to do with it.")
    ] = Path("/etc/systemd/system"),
    config: Annotated[Path | None, typer.Option(help="YAML file that the service reads.")] = None,
    show: Annotated[bool, typer.Option("--print", help="Only print the unit.")] = False,
) -> None:
    """Write a systemd unit that runs the device agent at every start of this machine, with a watchdog."""
    import getpass
    import os
    import sys

    from reachy_mind.fleet.agent.installation import ServiceInstall, write_units

    configuration = _configuration(config, {})
    device = configuration.settings.device
    install = ServiceInstall(
        python=Path(sys.executable),
        user=user or os.environ.get("SUDO_USER") or getpass.getuser(),
        home=configuration.home.folder,
        config=config.absolute() if config is not None else None,
        watchdog_s=device.watchdog_s,
        update_command=device.update_command,
        writable=(device.cache_folder,) if device.cache_folder is not None else (),
    )
    if show:
        for name, text in install.units().items():
            print(f"# {name}\n{text}")
        return
    written = write_units(install, folder)
    for file in written:
        print(f"wrote {file}")
    print("now: systemctl daemon-reload && systemctl enable --now reachy-mind-device")


async def _run(configuration: Configuration) -> bool:
    import signal
    import sys

    from reachy_mind.fleet.agent.agent import DeviceAgent
    from reachy_mind.system.linux_only import require_linux
    from reachy_mind.system.stop_signals import on_signal

    require_linux("device agents")
    agent = DeviceAgent(configuration)
    for each in (signal.SIGTERM, signal.SIGINT):
        on_signal(each, agent.end)
    await agent.run()
    print("bye", file=sys.stderr)
    return agent.restart


def _ask(request: dict[str, Any]) -> dict[str, Any]:
    import asyncio

    from reachy_mind.fleet.agent.agent_identity import agent_folder
    from reachy_mind.fleet.agent.control_socket import ask_agent

    return asyncio.run(ask_agent(agent_folder(_configuration(None, {})), request))


def _configuration(file: Path | None, flags: dict[str, Any]) -> Configuration:
    from reachy_mind.config.configuration import load

    return load(config_file=file, flags=flags)
