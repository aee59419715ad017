"""Feedback on code: signature, capabilities and mistakes, without running anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reachy_mind.workshop.check import check

pytestmark = pytest.mark.process

TOOLS = {"nod": "motion", "speak": "speak", "get_time": "", "take_photo": "camera"}
GOOD = '''
import asyncio
from reachy_mind import tools

async def greet(name: str, times: int = 2) -> dict:
    """Greet somebody by name."""
    for _ in range(times):
        await nod()
        await asyncio.sleep(0.1)
    await tools.call("speak", text=f"Hello, {name}!")
    return {"greeted": name}
'''


async def found(code: str, filename: str = "tool.py") -> dict[str, Any]:
    return await check(code, filename, TOOLS)


def codes(report: dict[str, Any]) -> set[str]:
    return {finding["code"] for finding in report["findings"]}


async def test_a_good_tool_has_no_findings_and_its_capabilities_are_inferred() -> None:
    report = await found(GOOD)
    assert report["ok"] and not report["findings"]
    assert report["name"] == "greet" and report["description"] == "Greet somebody by name."
    assert report["parameters"] == [
        {"name": "name", "type": "str", "required": True},
        {"name": "times", "type": "int", "required": False, "default": "2"},
    ]
    assert report["capabilities"] == ["motion", "speak"] and report["tools"] == ["nod", "speak"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("async def f(:", "SYNTAX"),
        ("x = 1", "NO_FUNCTION"),
        ("async def f() -> dict:\n    return {}", "NO_DOCSTRING"),
        ("async def f(a) -> dict:\n    'Do it.'\n    return {'a': a}", "NO_TYPE"),
        ("async def f(*a: int) -> dict:\n    'Do it.'\n    return {'a': a}", "VARIABLE_PARAMETERS"),
        ("async def f() -> dict:\n    'Do it.'\n    return {'a': nothing_of_that_name}", "NAME"),
        ("async def f() -> dict:\n    'Do it.'\n    return await tools.call('fly')", "UNKNOWN_TOOL"),
        ("def f() -> dict:\n    'Do it.'\n    return {}", "NOT_ASYNC"),
        ("import time\nasync def f() -> dict:\n    'Do it.'\n    time.sleep(1)\n    return {}", "BLOCKING_SLEEP"),
    ],
)
async def test_mistakes_are_named(code: str, expected: str) -> None:
    report = await found(code)
    assert expected in codes(report)
    assert report["ok"] is (expected in ("NOT_ASYNC", "BLOCKING_SLEEP"))


@pytest.mark.parametrize(
    ("line", "capability"),
    [
        ("robot.goto_target(antennas=[0, 0])", "motion"),
        ("robot.look_at_image(10, 20)", "camera"),
        ("robot.media.camera.read()", "camera"),
        ("robot.media.get_frame()", "camera"),
        ("robot.media.play_sound('x.wav')", "speak"),
        ("robot.media.get_audio_sample()", "microphone"),
        ("requests.get('https://api.example.org/x')", "http:api.example.org"),
        ("requests.get(url)", "http"),
        ("await take_photo()", "camera"),
    ],
)
async def test_each_use_of_the_robot_shows_its_capability(line: str, capability: str) -> None:
    code = f"import requests\nasync def f(robot: str, url: str) -> dict:\n    'Do it.'\n    return {{'x': {line}}}"
    assert capability in (await found(code))["capabilities"]


async def test_a_function_named_like_the_file_is_the_tool() -> None:
    code = "async def other() -> dict:\n    'A.'\n    return {}\n\nasync def wave() -> dict:\n    'B.'\n    return {}"
    assert (await found(code, "wave.py"))["name"] == "wave"
    assert (await found(code, "x.py"))["name"] == "other"


async def test_the_tool_is_the_function_that_the_sandbox_calls() -> None:
    code = "if True:\n    async def inner() -> dict:\n        'A tool.'\n        return {}\n"
    assert (await found(code))["name"] == "inner"


@pytest.mark.parametrize("code", ["x = " + "-" * 200_000 + "1", "x = " + "a." * 60_000 + "b", "(" * 250_000, "\0"])
async def test_code_made_to_exhaust_a_parser_is_reported(code: str) -> None:
    report = await found(code)
    assert not report["ok"] and report["findings"][0]["level"] == "error"


async def test_checking_runs_nothing(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    await found(f"open({str(marker)!r}, 'w').close()\nasync def f() -> dict:\n    'Do it.'\n    return {{}}")
    assert not marker.exists()
