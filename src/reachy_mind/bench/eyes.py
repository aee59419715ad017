"""Head tracking in the simulator: how well the head follows people, and its cost.

A simulated person comes, stands, walks by and stands again; two cross; nobody is there. Ours: the eyes of a mind as
they are. Reference: a plain follower, written here, on the same camera, detector and motion process: always ten
pictures a second; the largest face of each; its direction from the head's current pose; no dead zone, no tracks. The
error is the angle between the camera's axis and the middle of the person's head, at 20 Hz. Pictures have some noise.
`told` is what was commanded, without the breathing.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import statistics
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import numpy as np
import psutil

from reachy_mind.bench import Figures
from reachy_mind.body.pose import Pose
from reachy_mind.config.configuration import Configuration
from reachy_mind.eyes import pictures
from reachy_mind.eyes.lens import IN_HEAD_M
from reachy_mind.mind import Mind
from reachy_mind.storage.home import Home

SECONDS = 70.0
HEAD_M = np.array([0.0125, 0.0, 0.1645])
"""The middle of the robot's head at rest, from the foot."""
HEIGHT_M = 1.25
"""A person whose face is at the height of the table: the camera sees 80 degrees from top to bottom."""
LEFT, RIGHT = (0.9, 0.45), (0.9, -0.45)
SPEED_M_S = 0.4
CENTRED = math.radians(5)
NOISE = 4.0
"""Standard deviation of each pixel, of 255."""
REFERENCE_HZ = 10.0
GAZE_RESUMES_S = 1.3
"""Time after a requested look until the robot looks at people again."""
SAMPLE_S = 0.05


@dataclass
class Course:
    """The recording: seconds, errors, measured and commanded yaw and pitch (in degrees); and when each phase began."""

    at: list[float] = field(default_factory=list)
    error: list[float] = field(default_factory=list)
    yaw: list[float] = field(default_factory=list)
    pitch: list[float] = field(default_factory=list)
    told_yaw: list[float] = field(default_factory=list)
    told_pitch: list[float] = field(default_factory=list)
    marks: dict[str, float] = field(default_factory=dict)

    def between(self, start: float, end: float, values: list[float]) -> list[float]:
        return [value for at, value in zip(self.at, values, strict=True) if start <= at < end]


async def measure(configuration: Configuration, seconds: float) -> Figures:
    share = seconds / SECONDS
    ours, _ = await _session(configuration, share, plain=False)
    reference, _ = await _session(configuration, share, plain=True)
    ratio = {name: round(ours[name] / reference[name], 4) for name in ours if reference.get(name)}
    return Figures(ours, reference, ratio)


async def courses(configuration: Configuration) -> dict[str, Course]:
    """The recordings of both, for plots."""
    return {
        name: (await _session(configuration, 1.0, plain=plain))[1]
        for name, plain in (("ours", False), ("reference", True))
    }


async def _session(configuration: Configuration, share: float, *, plain: bool) -> tuple[dict[str, float], Course]:
    robot = configuration.settings.robot.model_copy(update={"address": "sim", "scene": "table"})
    settings = configuration.settings.model_copy(update={"robot": robot})
    with TemporaryDirectory() as folder:
        folders = settings.models.model_copy(update={"folder": configuration.models_folder})
        elsewhere = Configuration(
            settings.model_copy(update={"models": folders}), Home(Path(folder)), configuration.origins
        )
        async with Mind(elsewhere, thinks=False).session() as mind:
            await mind.act("wake_up")
            await mind.sight.faces(await mind.sight.look())  # camera and detector have started
            async with _following(mind, plain=plain), _Room(mind) as room:
                await room.add_noise()
                quiet = await room.nobody(8.0 * share)
                course = await room.walk(share)
                figures = quiet | _judged(course) | room.costs | {"kept_whom_it_followed": await room.crossing()}
            return figures | await _parts(mind), course


@contextlib.asynccontextmanager
async def _following(mind: Mind, *, plain: bool) -> AsyncIterator[None]:
    if not plain:
        await mind.act("head_tracking", {"enabled": True})
        yield
        await mind.act("head_tracking", {"enabled": False})
        return
    task = asyncio.create_task(_plainly(mind))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _plainly(mind: Mind) -> None:
    """The reference: a plain follower."""
    motion = mind.body()
    due = time.monotonic()
    while True:
        picture = await mind.sight.look()
        faces = await mind.sight.faces(picture)
        if faces:
            largest = max(faces, key=lambda face: face.box.area)
            yaw, pitch = mind.sight.lens.direction(*largest.box.centre, motion.state.pose)
            motion.gaze(yaw, pitch, time.monotonic())
        due = max(due + 1 / REFERENCE_HZ, time.monotonic())
        await asyncio.sleep(due - time.monotonic())


class _Room:
    """The simulated room and its people."""

    def __init__(self, mind: Mind) -> None:
        self._mind, self._motion = mind, mind.body()
        self._http = httpx.AsyncClient(base_url=f"{self._motion.address.http}/sim/v1", trust_env=False)
        self.costs: dict[str, float] = {}

    async def __aenter__(self) -> _Room:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def add_noise(self) -> None:
        """Add camera noise."""
        (await self._http.put("/camera/noise", json={"level": NOISE})).raise_for_status()

    async def nobody(self, seconds: float) -> dict[str, float]:
        """Pictures a second and CPU without people."""
        taken, used = self._mind.sight.frames.count, _used(self._mind)
        await asyncio.sleep(seconds)
        spent = sum(_used(self._mind).values()) - sum(used.values())
        rate = (self._mind.sight.frames.count - taken) / seconds
        return {"nobody_hz": round(rate, 2), "nobody_cpu_percent": round(100 * spent / seconds, 1)}

    async def walk(self, share: float) -> Course:
        """A person comes, stands, walks by and stands; the head looks straight ahead at first."""
        await self._mind.act("robot.look", {"duration": 0.5})
        await asyncio.sleep(GAZE_RESUMES_S)
        course, began = Course(), time.monotonic()
        course.marks["came"] = 0.0
        await self._add("ada", LEFT)
        taken, used = self._mind.sight.frames.count, _used(self._mind)
        await self._motion.lateness(clear=True)
        await self._record(course, began, 6.0 * share)
        course.marks["walked"] = time.monotonic() - began
        await self._go("ada", RIGHT)
        stopped = course.marks["walked"] + math.dist(LEFT, RIGHT) / SPEED_M_S
        course.marks["stopped"] = stopped
        await self._record(course, began, stopped + 6.0 * share)
        passed = time.monotonic() - began
        now = _used(self._mind)
        self.costs = {f"{part}_cpu_percent": round(100 * (now[part] - used[part]) / passed, 1) for part in now}
        late = await self._motion.lateness()
        self.costs |= {f"motion_late_{name}": late[name] for name in ("p50_ms", "p99_ms")}
        self.costs["followed_hz"] = round((self._mind.sight.frames.count - taken) / passed, 2)
        await self._http.delete("/people/ada")
        return course

    async def crossing(self) -> float:
        """Two people cross; 1 when the head still follows the same one."""
        await asyncio.sleep(3.5)  # the last person has been given up
        await self._add("bea", (1.05, -0.3))
        await self._add("cleo", (0.8, 0.3))
        await asyncio.sleep(4.0)
        before = await self._nearest("bea", "cleo")
        await asyncio.gather(self._go("bea", (1.05, 0.3)), self._go("cleo", (0.8, -0.3)))
        await asyncio.sleep(4.0)
        return float(before == await self._nearest("bea", "cleo"))

    async def _nearest(self, *names: str) -> str:
        away = {name: _away(self._motion.state.pose, await self._head(name)) for name in names}
        return min(away, key=away.__getitem__)

    async def _record(self, course: Course, began: float, until: float) -> None:
        due = time.monotonic()
        while time.monotonic() - began < until:
            head, pose = await self._head("ada"), self._motion.state.pose
            course.at.append(time.monotonic() - began)
            course.error.append(math.degrees(_away(pose, head)))
            course.yaw.append(math.degrees(pose.yaw))
            course.pitch.append(math.degrees(pose.pitch))
            command = self._motion.state.command
            course.told_yaw.append(math.degrees(command.yaw))
            course.told_pitch.append(math.degrees(command.pitch))
            due = max(due + SAMPLE_S, time.monotonic())
            await asyncio.sleep(due - time.monotonic())

    async def _add(self, name: str, at: tuple[float, float]) -> None:
        person = {"name": name, "at": at, "height": HEIGHT_M}
        (await self._http.post("/people", json=person)).raise_for_status()

    async def _go(self, name: str, to: tuple[float, float]) -> None:
        walk = {"to": to, "speed": SPEED_M_S, "looking": "robot"}
        (await self._http.post(f"/people/{name}/walk", json=walk)).raise_for_status()

    async def _head(self, name: str) -> list[float]:
        head: list[float] = (await self._http.get(f"/people/{name}")).json()["head"]
        return head


def _away(pose: Pose, head: list[float]) -> float:
    """The angle between the camera's axis and a person's head."""
    matrix = np.array(pose.head_matrix()).reshape(4, 4)
    camera = HEAD_M + matrix[:3, 3] + matrix[:3, :3] @ np.array(IN_HEAD_M)
    towards = np.array(head) - camera
    return math.acos(min(1.0, float(matrix[:3, 0] @ towards / np.linalg.norm(towards))))


def _judged(course: Course) -> dict[str, float]:
    walked, stopped, end = course.marks["walked"], course.marks["stopped"], course.at[-1]
    walking = course.between(walked + 0.5, stopped, course.error)

    def unrest(*angles: list[float]) -> float:
        standing = [course.between(walked - 2, walked, values) for values in angles]
        return round(math.hypot(*(statistics.pstdev(values) for values in standing)), 3)

    after = course.between(stopped, end, course.error)
    return {
        "centred_ms": _until_centred(course, 0.0, walked),
        "walking_p50_degrees": round(statistics.median(walking), 2),
        "walking_max_degrees": round(max(walking), 2),
        "overshoot_degrees": round(max(after), 2),
        "centred_again_ms": _until_centred(course, stopped, end),
        "standing_p50_degrees": round(statistics.median(course.between(walked - 2, walked, course.error)), 2),
        "standing_rms_degrees": unrest(course.yaw, course.pitch),
        "standing_told_rms_degrees": unrest(course.told_yaw, course.told_pitch),
    }


def _until_centred(course: Course, start: float, end: float) -> float:
    """Time until the error stays below the limit; the whole time when it does not."""
    limit = math.degrees(CENTRED)
    errors = zip(course.at, course.error, strict=True)
    out = [at for at, error in errors if start <= at < end and error > limit]
    return round(((out[-1] if out else start) - start) * 1000)


async def _parts(mind: Mind) -> dict[str, float]:
    """Milliseconds of each step for one picture."""
    took: dict[str, list[float]] = {"camera": [], "decode": [], "detect": []}
    for _ in range(20):
        began = time.perf_counter()
        shot = await mind.sight.frame()
        got = time.perf_counter()
        picture = await asyncio.to_thread(pictures.from_camera, shot.jpeg, shot.taken_at)
        decoded = time.perf_counter()
        await mind.sight.faces(picture)
        done = time.perf_counter()
        for part, spent in (("camera", got - began), ("decode", decoded - got), ("detect", done - decoded)):
            took[part].append(spent * 1000)
    return {f"{part}_p50_ms": round(statistics.median(values), 2) for part, values in took.items()}


def _used(mind: Mind) -> dict[str, float]:
    """CPU seconds so far of this process, motion, the simulator, and its camera process."""
    assert mind.simulator is not None
    simulator = psutil.Process(mind.simulator.pid)
    drawing = sum(_cpu(child) for child in simulator.children(recursive=True))
    return {
        "mind": _cpu(psutil.Process()),
        "motion": _cpu(psutil.Process(mind.body().pid)),
        "simulator": _cpu(simulator),
        "drawing": drawing,
    }


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system
