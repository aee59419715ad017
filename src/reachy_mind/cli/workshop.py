"""`reachy-mind workshop`: run files of untrusted code in the sandbox, check them, and tell which isolation holds."""

from __future__ import annotations

import contextlib
import json
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import uuid4

import typer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from reachy_mind.cli.chat_connection import ChatConnection

app = typer.Typer(name="workshop", help="Code in a sandbox, and the tools that the robot made.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="A Python file with a tool.", metavar="FILE")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command()
def run(
    file: File,
    args: Annotated[str, typer.Option("--args", help="The tool's arguments as JSON: '{\"interval\": 5}'.")] = "{}",
    allow: Annotated[
        str,
        typer.Option(
            help="What it may use, separated by commas: motion, camera, speak, light, http[:HOST], memory,"
            " microphone, tools:NAME."
        ),
    ] = "",
    timeout: Annotated[float, typer.Option(help="Seconds before it is killed.", min=0.1, max=3600)] = 10.0,
    isolation: Annotated[str, typer.Option(help="auto, full, namespaces or landlock; see `status`.")] = "auto",
    virtual_time: Annotated[
        bool, typer.Option("--virtual-time", help="In a simulated world of its own, as fast as it goes.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run a file in the sandbox, through the running mind, else with one for a moment on the simulator."""
    from reachy_mind.errors import MindError
    from reachy_mind.workshop.run_report import RunReport

    try:
        content = {
            "code": read_code(file),
            "filename": file.name.encode("utf-8", "replace").decode(),
            "args": _arguments(args),
            "allow": allow,
            "timeout_s": timeout,
            "isolation": isolation,
            "virtual_time": virtual_time,
            "call_id": uuid4().hex,
        }
        report = _request(
            *("POST", "workshop/run", content), robot="none" if virtual_time else None, prepare=_preparation(allow)
        )
    except MindError as error:
        report = RunReport.refused(error).as_dict()
    if as_json:
        print(json.dumps(report))
    else:
        _show(report)
    if report["status"] != "ok":
        raise typer.Exit(1)


@app.command()
def check(file: File, as_json: Json = False) -> None:
    """Check a file without running it: signature, docstring, capabilities it seems to need, common mistakes."""
    report = _request("POST", "workshop/check", {"code": read_code(file), "filename": file.name}, robot="none")
    if as_json:
        print(json.dumps(report))
    else:
        for finding in report["findings"]:
            hint = f" ({finding['hint']})" if finding["hint"] else ""
            print(_line(f"{file.name}:{finding['line']}: {finding['level']}: {finding['message']}{hint}"))
        print(f"{report['name'] or 'no tool'}: needs {', '.join(report['capabilities']) or 'no capability'}")
    if not report["ok"]:
        raise typer.Exit(1)


@app.command()
def status(as_json: Json = False) -> None:
    """Which isolation holds on this machine, which layers are missing, and why."""
    import asyncio

    from reachy_mind.config.configuration import load
    from reachy_mind.workshop.workshop import Workshop

    report = asyncio.run(Workshop(load()).status())
    if as_json:
        print(json.dumps(report))
        return
    print(f"code runs in: {report['isolation']}" if report["ready"] else f"code is refused: {report['reason']}")
    for profile in report["profiles"]:
        print(f"\n{profile['name']}: {'available' if profile['available'] else profile['reason']}")
        for layer, words in profile["layers"].items():
            print(f"  {layer:14} {words}")
        for layer, why in profile["missing"].items():
            print(f"  {layer:14} missing: {why}")


def _show(report: dict[str, Any]) -> None:
    if report["output"]:
        print(_harmless(report["output"]), end="" if report["output"].endswith("\n") else "\n")
    for call in report["calls"]:
        print(f"  {_line(call['name'])} {json.dumps(call['args'])[:120]}: {call['status']}", file=sys.stderr)
    if report["error"] is None:
        print(_harmless(json.dumps(report["result"], indent=2, ensure_ascii=False)))
    else:
        print(_line(f"error: {report['status']}: {report['error']['message']}"), file=sys.stderr)
        if report["error"]["hint"]:
            print(_line(f"hint: {report['error']['hint']}"), file=sys.stderr)
    times = f"{report['wall_ms']:.0f} ms, {report['cpu_ms']:.0f} ms of a processor, {report['max_rss_mb']:.0f} MB"
    print(f"{report['status']}: isolation {report['isolation'] or 'none'}, {times}", file=sys.stderr)


def _harmless(text: str, kept: str = "\n\t\u200d") -> str:
    """Text of untrusted code for a terminal: what would steer the terminal, or reverse the text, is shown escaped."""
    return "".join(
        ascii(letter)[1:-1]
        if letter not in kept and unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        else letter
        for letter in text
    )


def _line(text: str) -> str:
    return _harmless(text, kept="\u200d")


def read_code(file: Path) -> str:
    """The text of a file. Raises InvalidParameter."""
    from reachy_mind.errors import InvalidParameter
    from reachy_mind.workshop.run_report import MAX_CODE_BYTES

    try:
        if file.stat().st_size > MAX_CODE_BYTES:
            raise InvalidParameter(f"{file} is too large", hint=f"at most {MAX_CODE_BYTES // 1000} kB of code")
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidParameter(f"{file} can't be read: {error.strerror or error}", hint="a Python file") from None
    except UnicodeDecodeError:
        raise InvalidParameter(f"{file} is not UTF-8 text", hint="a Python file") from None


def _arguments(args: str) -> dict[str, Any]:
    from reachy_mind.cli.tools import parse_arguments

    return parse_arguments(args)


def _preparation(allow: str) -> Callable[[ChatConnection], Awaitable[None]]:
    """Wake a robot of our own and open its camera, so that the run does not spend its time on that."""
    routes = {"motion": ("POST", "robot/wake"), "camera": ("POST", "vision/capture")}

    async def prepare(chat: ChatConnection) -> None:
        from reachy_mind.errors import MindError

        for capability in allow.split(","):
            if capability.strip() in routes:
                with contextlib.suppress(MindError):  # the run itself then tells what is missing
                    await chat.request(*routes[capability.strip()])

    return prepare


def _request(
    method: str,
    route: str,
    content: dict[str, Any],
    *,
    robot: str | None,
    prepare: Callable[[ChatConnection], Awaitable[None]] | None = None,
) -> dict[str, Any]:
    from reachy_mind.cli.tools import request

    # A person at the terminal can be asked about what the code wants to do; a script can't.
    return request(method, route, content, robot=robot, person=sys.stdin.isatty(), nested=True, prepare=prepare)
