"""The page's files and how they are served, the robot's live state, its camera and its figure."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import itertools
import json
import os
import re
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from reachy_mind.access import connections, rate_limits
from reachy_mind.body import page_model
from reachy_mind.config.configuration import load
from reachy_mind.events import RobotStopped
from reachy_mind.mind import Mind
from reachy_mind.server import service_worker
from reachy_mind.server.page import WEB
from tests.server.served import calling, serving, socket
from tests.waiting import until

STRICT = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(self)",
}


@pytest.fixture
async def place() -> AsyncIterator[str]:
    """A server with a mind that has no robot."""
    async with Mind(robot="none").session() as mind, serving(mind) as at:
        yield at


def calling_at(place: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=f"http://{place}", trust_env=False, timeout=60)


@pytest.fixture
async def http(place: str) -> AsyncIterator[httpx.AsyncClient]:
    async with calling_at(place) as client:
        yield client


@pytest.mark.parametrize("path", ["/", "/docs", "/web/app.js", "/healthz", "/api/v1/tools", "/nothing"])
async def test_every_answer_has_the_strict_headers(http: httpx.AsyncClient, path: str) -> None:
    answer = await http.get(path)
    assert STRICT.items() <= dict(answer.headers).items()
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'" and policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in str(policy) and policy["connect-src"] == "'self'"


async def test_the_policy_allows_the_import_map_and_no_other_inline_script(http: httpx.AsyncClient) -> None:
    page = await http.get("/")
    inline = re.findall(r"<script([^>]*)>([^<]+)</script>", page.text)
    assert [attributes for attributes, _ in inline] == [' type="importmap"']
    digest = base64.b64encode(hashlib.sha256(inline[0][1].encode()).digest()).decode()
    assert f"'sha256-{digest}'" in page.headers["content-security-policy"]
    assert not re.search(r"<[^>]+\s(style|on\w+)=", page.text), "the policy would block it"


async def test_the_page_names_only_files_of_ours_that_exist(http: httpx.AsyncClient) -> None:
    """Offline: nothing comes from anywhere else."""
    sources = [
        path for path in WEB.rglob("*") if path.suffix in (".html", ".css", ".js") and "vendor" not in path.parts
    ]
    assert len(sources) > 10
    for source in sources:
        text = source.read_text()
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), source
        for path in set(re.findall(r"""["'(](/web/[^"'#)`]+)["'#)]""", text)):
            if path.endswith("/"):
                continue
            assert (await http.get(path)).status_code == 200, f"{source.name} names {path}"
    for target in json.loads(re.findall(r'importmap">(.*?)</script>', (WEB / "index.html").read_text(), re.DOTALL)[0])[
        "imports"
    ].values():
        assert (WEB.parent / target.lstrip("/")).exists()


async def test_files_are_kept_but_never_without_asking(http: httpx.AsyncClient) -> None:
    first = await http.get("/web/app.js")
    assert first.headers["cache-control"] == "no-cache" and "javascript" in first.headers["content-type"]
    again = await http.get("/web/app.js", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304 and not again.content
    assert (await http.get("/api/v1/tools")).headers["cache-control"] == "no-store"


async def test_an_installed_page_keeps_its_files_until_one_changes(http: httpx.AsyncClient, tmp_path: Path) -> None:
    worker = await http.get("/service-worker.js")
    assert worker.headers["cache-control"] == "no-cache" and "javascript" in worker.headers["content-type"]
    kept = json.loads(worker.text.splitlines()[0].removeprefix("const SHELL = ").rstrip(";"))["files"]
    assert {"/", "/web/app.js", "/web/voice/worklet.js", "/web/manifest.webmanifest"} <= set(kept)
    assert not [file for file in kept if "swagger" in file or "/api/" in file]
    manifest = await http.get("/web/manifest.webmanifest")
    assert manifest.headers["content-type"] == "application/manifest+json"
    assert {(await http.get(icon["src"])).headers["content-type"] for icon in manifest.json()["icons"]} == {"image/png"}
    for name in ("index.html", "service-worker.js", "a.js"):
        (tmp_path / name).write_text(name)
    first = service_worker.worker_source(tmp_path)
    assert first == service_worker.worker_source(tmp_path)
    (tmp_path / "a.js").write_text("b.js")
    assert first != service_worker.worker_source(tmp_path)


@pytest.mark.parametrize(
    "path", ["/web/../app.py", "/web/%2e%2e/app.py", "/web//etc/passwd", "/figure/x/..%2f..%2fconfig", "/web/"]
)
async def test_nothing_but_the_pages_files_is_served(http: httpx.AsyncClient, path: str) -> None:
    answer = await http.get(path)
    assert answer.status_code in (404, 405) and answer.json()["error"]["code"]


@pytest.mark.parametrize("path", ["/api/v1/vision/frame", "/api/v1/tools", "/web/app.js"])
async def test_other_sites_can_not_embed_what_is_here(http: httpx.AsyncClient, path: str) -> None:
    for site in ("cross-site", "same-site"):
        refused = await http.get(path, headers={"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"})
        assert refused.status_code == 403 and refused.json()["error"]["code"] == "PERMISSION_DENIED"
    followed = await http.get("/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})
    assert followed.status_code == 200, "a link to the page may be anywhere"


async def test_a_caller_in_a_hurry_is_held_back_but_never_from_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "REQUESTS_PER_S", 0.01)
    monkeypatch.setattr(rate_limits, "REQUEST_BURST", 5.0)
    async with Mind(robot="none").session() as mind, calling(mind) as http:
        assert {(await http.get("tasks")).status_code for _ in range(5)} == {200}
        answer = await http.get("tasks")
        assert answer.status_code == 429
        assert answer.json()["error"]["code"] == "BUSY" and answer.headers["retry-after"] == "1"
        stopped = await http.post("robot/stop")
        assert stopped.json()["error"]["code"] == "NOT_READY", "it got through to a mind without a robot"
        other = await http.get("tools", headers={"User-Agent": "another program"})
        assert other.status_code == 200, "one program does not use up what another may"


async def test_there_are_only_so_many_sockets(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_SOCKETS", 2)
    async with socket(place, "events"), socket(place, "robot"):
        with pytest.raises((InvalidStatus, ConnectionClosed)):
            async with connect(f"ws://{place}/api/v1/ws/events", proxy=None) as third:
                await third.recv()
    async with socket(place, "robot") as later:
        assert (await later.until("link"))["status"] == "none"


async def test_without_a_robot_the_page_is_told_so(place: str, http: httpx.AsyncClient) -> None:
    async with socket(place, "robot") as live:
        told = await live.until("link")
        assert told["status"] == "none" and "--robot" in told["hint"]
    picture = await http.get("/api/v1/vision/frame")
    assert picture.status_code == 503 and "no robot" in picture.json()["error"]["message"]


@pytest.mark.process
async def test_the_robot_is_seen_live_and_through_its_eye(home: Path) -> None:
    async with Mind(robot="sim").session() as mind, serving(mind) as place:
        await mind.act("robot.wake")
        async with socket(place, "robot", "?hz=50") as live:
            link = await live.until("link")
            assert link["status"] == "connected" and link["simulated"] and link["robot"]
            looking = asyncio.create_task(mind.act("robot.look", {"yaw": 30, "duration": 0.8}))
            states = [await live.until("state") for _ in range(60)]
            await looking
            turned = [state["pose"][5] for state in states]
            assert max(turned) - min(turned) > 0.2, "the head is seen turning"
            assert all(later["at"] > earlier["at"] for earlier, later in itertools.pairwise(states))
            assert len(states[0]["pose"]) == 9 and len(states[0]["joints"]) == 7
            assert states[-1]["awake"] and states[-1]["mode"] == "enabled"
        async with calling_at(place) as http:
            picture = await http.get("/api/v1/vision/frame")
            assert picture.headers["content-type"] == "image/jpeg" and picture.content[:2] == b"\xff\xd8"
            async with http.stream("GET", "/api/v1/vision/stream?fps=15") as stream:
                received = b""
                async for piece in stream.aiter_bytes():
                    received += piece
                    if received.count(b"--frame") >= 3:
                        break
            shown = (await http.get("/api/v1/robot/figure")).json()
            assert shown["state"] == "ready" and shown["source"] == "robot description"
            urdf = await http.get(shown["urdf"])
            assert "immutable" in urdf.headers["cache-control"]
            for mesh in set(re.findall(r'filename="([^"]+)"', urdf.text)):
                found = await http.get(f"{shown['urdf'].rsplit('/', 1)[0]}/{mesh}")
                assert found.status_code == 200 and found.content[:4] == b"glTF"


@pytest.mark.process
async def test_a_lost_robot_is_told_on_the_live_line_and_so_is_its_return(home: Path) -> None:
    async with Mind(robot="sim").session() as mind, serving(mind) as place, socket(place, "robot") as live:
        await live.until("state")
        assert mind.simulator is not None
        os.kill(mind.simulator.pid, signal.SIGKILL)
        lost = await live.until("link", status="lost")
        assert lost["reason"]
        await live.until("link", status="connected")
        await live.until("state")


@pytest.mark.process
async def test_a_camera_that_is_switched_off_is_not_looked_through(home: Path) -> None:
    configuration = load(flags={"eyes.camera": False})
    async with Mind(configuration).session() as mind, serving(mind) as place, calling_at(place) as http:
        refused = (await http.get("/api/v1/vision/frame")).json()["error"]
        assert refused["code"] == "NOT_READY" and "--no-camera" in refused["hint"]


@pytest.mark.process
async def test_a_missing_figure_is_made_while_the_page_shows_a_simple_one(
    tmp_path: Path, description: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = tmp_path / "models"
    models.mkdir()
    (models / description.name).symlink_to(description)
    monkeypatch.setenv("REACHY_MIND_MODELS__FOLDER", str(models))
    async with Mind(robot="none").session() as mind, serving(mind) as place, calling_at(place) as http:
        first = (await http.get("/api/v1/robot/figure")).json()
        assert first["state"] == "building" and first["source"] == "built-in"
        assert (await http.get(first["urdf"])).status_code == 200

        async def built() -> bool:
            return (await http.get("/api/v1/robot/figure")).json()["state"] != "building"

        await until(built, within=100)
        now = (await http.get("/api/v1/robot/figure")).json()
        assert now["state"] == "ready", now["reason"]
        assert (await http.get(now["urdf"])).status_code == 200
    assert page_model.folder(description, models / "compiled").is_dir()


async def test_without_the_robot_description_the_simple_figure_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REACHY_MIND_MODELS__FOLDER", str(tmp_path / "nowhere"))
    async with Mind(robot="none").session() as mind, serving(mind) as place, calling_at(place) as http:
        told = (await http.get("/api/v1/robot/figure")).json()
        assert told["state"] == "missing" and "robot-description" in told["reason"]
        assert (await http.get(told["urdf"])).status_code == 200


async def test_frames_that_come_too_fast_are_refused_and_the_socket_stays(place: str) -> None:
    async with socket(place) as chat:
        for _ in range(200):
            await chat.send({"type": "confirm", "id": "nothing", "approve": True})
        assert "a second" in (await chat.until("error", code="BUSY"))["hint"]
        await chat.send({"type": "interrupt"})
        await chat.send({"type": "nonsense"})
        await chat.until("error")


async def test_a_new_talk_begins_on_the_same_line(place: str) -> None:
    async with socket(place) as chat:
        first = await chat.say("hello")
        assert (await chat.say("hello again"))["session_id"] == first["session_id"]
        await chat.send({"type": "new"})
        other = await chat.say("hello")
        assert other["session_id"] != first["session_id"] and other["turn"] == 3


@pytest.mark.process
async def test_a_stop_on_the_chat_line_stops_the_robot(home: Path) -> None:
    async with Mind(robot="sim").session() as mind, serving(mind) as place, socket(place) as chat:
        await chat.send({"type": "say", "message": "dance"})
        with mind.bus.subscribe(RobotStopped) as stops:
            await chat.until("started")
            assert mind.motion is not None
            await mind.motion.wait_for(lambda state: state.busy, 20)
            await chat.send({"type": "stop"})
            await asyncio.wait_for(stops.get(), 10)
        assert (await chat.until("done"))["error"]["code"] == "INTERRUPTED"
        await mind.motion.wait_for(lambda state: not state.busy, 10)
