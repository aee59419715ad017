"""Code on the simulated robot: no way of moving it goes around a permission, and nothing is left switched on."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from reachy_mind.mind import Mind
from tests.server.served import calling

pytestmark = [pytest.mark.simulator, pytest.mark.process]

ROBOT = "from reachy_mini import ReachyMini\nimport json, math, os, struct, time\nimport numpy as np\n"
AT_ONCE = ROBOT + "def f():\n    ReachyMini().goto_target(body_yaw=0.5, duration=0.3)\n"
SMALL_STEPS = (
    ROBOT + "def f():\n    robot = ReachyMini()\n"
    "    for step in range(1, 21):\n        robot.goto_target(body_yaw=math.radians(0.9 * step), duration=0.05)\n"
)
SMALL_TARGETS = (
    ROBOT + "def f():\n    robot = ReachyMini()\n"
    "    for step in range(1, 21):\n"
    "        robot.set_target(body_yaw=math.radians(0.9 * step))\n        time.sleep(0.1)\n"
)
FRAMES_BETWEEN = (
    ROBOT + "def f():\n    rows = np.full((101, 19), np.nan)\n    rows[:, 18] = 0.5\n    rows[::10, 18] = 0.0\n"
    "    blob = rows.tobytes()\n"
    "    frames = {'$array': ['<f8', [101, 19], 0, len(blob)]}\n"
    "    call = {'type': 'call', 'id': 99, 'method': 'robot.play_frames', 'args': {'frames': frames}}\n"
    "    text = json.dumps(call).encode()\n"
    "    os.write(3, struct.pack('>II', len(text), len(blob)) + text + blob)\n"
    "    time.sleep(2)\n"
)


@pytest.fixture
def rules(home: Path) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "permissions.yaml").write_text("rules: [{pattern: 'robot.rotate', tier: forbidden}]")


@pytest.fixture
async def mind(rules: None) -> AsyncIterator[Mind]:
    async with Mind(robot="sim", thinks=False, idle=False).session() as awake:
        await awake.act("robot.wake_up")
        yield awake


async def post(http: httpx.AsyncClient, code: str, **options: Any) -> dict[str, Any]:
    content = {"code": code, "allow": "motion,camera", "timeout_s": 30, **options}
    report: dict[str, Any] = (await http.post("/workshop/run", json=content, timeout=90)).json()
    return report


async def test_a_forbidden_act_is_forbidden_in_small_steps_too(mind: Mind) -> None:
    async with calling(mind) as http:
        for code in (AT_ONCE, SMALL_STEPS, SMALL_TARGETS, FRAMES_BETWEEN):
            report = await post(http, code)
            assert report["calls"][-1]["status"] == "denied", (code, report)
            assert abs(mind.body().state.pose.body_yaw) < math.radians(5)


async def test_head_tracking_that_code_switched_on_ends_with_it(mind: Mind) -> None:
    sight = mind.toolbox.parts.sight
    assert sight is not None
    async with calling(mind) as http:
        by_tool = "from reachy_mind import tools\nasync def f():\n    await tools.call('head_tracking', enabled=True)\n"
        for code in (by_tool, ROBOT + "def f():\n    ReachyMini().start_head_tracking()\n"):
            report = await post(http, code)
            assert report["status"] == "ok", report
            assert not sight.following
        await mind.act("robot.head_tracking", {"enabled": True})
        await post(http, by_tool)
        assert sight.following, "what a person switched on stays on"


async def test_code_that_stops_itself_hides_nothing(mind: Mind) -> None:
    code = (
        ROBOT + "from reachy_mind import tools\n"
        "async def f():\n    robot = ReachyMini()\n    robot.media.get_frame()\n"
        "    robot.goto_target(antennas=[0.3, 0.3], duration=0.3)\n    await tools.call('stop')\n    time.sleep(20)\n"
    )
    async with calling(mind) as http:
        report = await post(http, code)
    assert report["status"] == "killed" and report["error"]["code"] == "CANCELLED", report
    assert [call["name"] for call in report["calls"]][:2] == ["media.get_frame", "robot.goto_target"]
    rows, _ = await mind.toolbox.audit.query(tool="workshop.run_code")
    assert '"media.get_frame":{"ok":1}' in rows[0]["result"], rows[0]
