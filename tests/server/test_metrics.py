"""The metrics at /metrics: they count what happened, and each is documented."""

from __future__ import annotations

import re
from pathlib import Path

import httpx

from reachy_mind.mind import Mind
from tests.server.served import serving, socket


async def test_metrics_count_what_happened_and_each_is_documented() -> None:
    documented = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()
    async with Mind(robot="none").session() as mind, serving(mind) as place, socket(place) as chat:
        await chat.say("what time is it?")
        await chat.say("nod")
        async with httpx.AsyncClient(base_url=f"http://{place}", trust_env=False) as http:
            await http.get("/api/v1/no/such/thing")
            await http.get("/api/v1/session/nobody")
            text = (await http.get("/metrics")).text
    figures = dict(re.findall(r"^(reachy_mind_\S+(?:\{.*\})?) (\S+)$", text, re.MULTILINE))
    assert figures['reachy_mind_turns_total{brain="reflex",outcome="done",spoken="no"}'] == "2.0"
    assert figures['reachy_mind_turn_seconds_count{brain="reflex",stage="first"}'] == "2.0"
    assert figures['reachy_mind_tool_calls_total{status="ok",tool="time.get_time"}'] == "1.0"
    assert figures['reachy_mind_tool_calls_total{status="error",tool="robot.nod"}'] == "1.0"
    assert figures['reachy_mind_requests_total{method="other",route="other",status="404"}'] == "1.0"
    route = "/api/v1/session/{session_id}"
    assert figures[f'reachy_mind_requests_total{{method="GET",route="{route}",status="404"}}'] == "1.0"
    assert figures['reachy_mind_robot_link{state="none"}'] == "1.0" and figures["reachy_mind_sockets"] == "1.0"
    for name in re.findall(r"^# TYPE (reachy_mind_\w+)", text, re.MULTILINE):
        assert f"`{name}" in documented, name
