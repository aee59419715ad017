"""`reachy-mind robot`: one robot command, by the mind that is running, else by a temporary one."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

import typer

TOOLS = {
    "look": "robot.look",
    "goto": "robot.goto",
    "wake": "robot.wake",
    "sleep": "robot.lie_down",
    "stop": "robot.stop",
}
app = typer.Typer(name="robot", help="Look, move, wake, sleep, stop; find robots.", no_args_is_help=True)

Robot = Annotated[str | None, typer.Option("--robot", help="sim, or HOST[:PORT] of a robot.", metavar="WHERE")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Clamp = Annotated[bool, typer.Option("--clamp", help="Go as far as the robot can instead of refusing.")]
Duration = Annotated[float, typer.Option("--duration", help="Seconds the movement takes.")]


def _angle(text: str) -> Any:
    return typer.Option(help=f"{text}, degrees.")


def _length(text: str) -> Any:
    return typer.Option(help=f"{text}, millimetres.")


@app.command()
def state(robot: Robot = None, as_json: Json = False) -> None:
    """What the robot reports: pose, joints, motors, connection."""
    _print_state(_call("state", None, robot), as_json)


@app.command()
def look(
    yaw: Annotated[float, _angle("Left (negative: right)")] = 0.0,
    pitch: Annotated[float, _angle("Down (negative: up)")] = 0.0,
    roll: Annotated[float, _angle("Lean to its right (negative: left)")] = 0.0,
    duration: Duration = 1.0,
    clamp: Clamp = False,
    robot: Robot = None,
    as_json: Json = False,
) -> None:
    """Turn the head; the body follows when the neck can't. Wakes the robot if it sleeps."""
    arguments = {"yaw": yaw, "pitch": pitch, "roll": roll, "duration": duration, "clamp": clamp}
    _print_state(_call("look", arguments, robot), as_json)


@app.command()
def goto(
    x: Annotated[float | None, _length("Head forward")] = None,
    y: Annotated[float | None, _length("Head left")] = None,
    z: Annotated[float | None, _length("Head up")] = None,
    roll: Annotated[float | None, _angle("Lean to its right")] = None,
    pitch: Annotated[float | None, _angle("Down")] = None,
    yaw: Annotated[float | None, _angle("Left")] = None,
    body_yaw: Annotated[float | None, _angle("Body to the left")] = None,
    antenna_left: Annotated[float | None, _angle("Left antenna")] = None,
    antenna_right: Annotated[float | None, _angle("Right antenna")] = None,
    duration: Duration = 1.0,
    clamp: Clamp = False,
    robot: Robot = None,
    as_json: Json = False,
) -> None:
    """Move any part of the robot; what is not named stays. Wakes the robot if it sleeps."""
    arguments: dict[str, Any] = {"x": x, "y": y, "z": z, "roll": roll, "pitch": pitch, "yaw": yaw, "body_yaw": body_yaw}
    arguments |= {"antenna_left": antenna_left, "antenna_right": antenna_right, "duration": duration, "clamp": clamp}
    _print_state(_call("goto", {key: value for key, value in arguments.items() if value is not None}, robot), as_json)


@app.command()
def wake(robot: Robot = None, as_json: Json = False) -> None:
    """Motors on, head up."""
    _print_state(_call("wake", None, robot), as_json)


@app.command()
def sleep(robot: Robot = None, as_json: Json = False) -> None:
    """Head down, motors off."""
    _print_state(_call("sleep", None, robot), as_json)


@app.command()
def stop(robot: Robot = None, as_json: Json = False) -> None:
    """End any movement at once; the robot holds where it is."""
    _print_state(_call("stop", None, robot), as_json)


@app.command()
def discover(
    timeout: Annotated[float, typer.Option("--timeout", help="Seconds to wait for answers.", min=0.1, max=60)] = 3.0,
    as_json: Json = False,
) -> None:
    """Find robots on the local network."""
    from dataclasses import asdict

    from reachy_mind.body.discovery import discover as search

    found = asyncio.run(search(timeout))
    if as_json:
        print(json.dumps({"robots": [asdict(robot) for robot in found]}))
        return
    for robot in found:
        about = ", ".join(robot.properties[key] for key in ("model", "version") if key in robot.properties)
        print(f"{robot.name}\t{robot.address}:{robot.port}\t{about}")
    if not found:
        print("no robot answered; name one with --robot HOST, or use the simulated one")


def _call(command: str, arguments: dict[str, Any] | None, robot: str | None) -> dict[str, Any]:
    from reachy_mind.cli.attach import perform, state

    if command == "state":
        return state(robot)
    return perform(TOOLS[command], arguments or {}, robot)


def _print_state(outcome: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(outcome))
        return
    pose = outcome["pose"]
    kind = "simulated" if outcome["simulated"] else "real"
    print(f"{outcome['robot']} ({kind}, {outcome['address']}), motors {outcome['motor_mode']}")
    print(f"head     yaw {pose['yaw']:7.2f}  pitch {pose['pitch']:7.2f}  roll {pose['roll']:7.2f}  degrees")
    print(f"         x {pose['x_mm']:9.2f}  y {pose['y_mm']:11.2f}  z {pose['z_mm']:10.2f}  mm")
    print(f"body     yaw {pose['body_yaw']:7.2f}")
    print(f"antennas left {pose['antenna_left']:6.2f}  right {pose['antenna_right']:7.2f}")
    for clamp in outcome.get("clamped", []):
        print(f"clamped  {clamp['axis']}: asked {clamp['asked']}, given {clamp['given']} {clamp['unit']}")
    if outcome.get("error"):
        print(f"robot reports: {outcome['error']}")
