"""`Daemon`: the robot's daemon over REST: who it is, whether we may use it, and its motors.

The version and the app lock are checked before a robot is driven. An answer of "ok" is never believed: the motor mode
is read back after it was set.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
from pydantic import ValidationError

from reachy_mind.body import protocol
from reachy_mind.body.address import Address
from reachy_mind.body.protocol import MotorMode
from reachy_mind.errors import HardwareError, LinkLost, RobotBusy, TimedOut, VersionMismatch

TIMEOUT_S = 3.0
MEDIA_TIMEOUT_S = 20.0
"""Its media server takes its time to let go of devices, and to take them again."""


class Daemon:
    """REST calls to one robot. Raises LinkLost when nobody answers, HardwareError when the daemon says no."""

    def __init__(self, address: Address, *, app_name: str) -> None:
        self.address = address
        self._app_name = app_name
        # Plain HTTP, so no certificates: loading them would take longer than connecting.
        self._http = httpx.AsyncClient(base_url=address.http, timeout=TIMEOUT_S, verify=False, trust_env=False)  # noqa: S501

    async def aclose(self) -> None:
        await self._http.aclose()

    async def ask(self, method: str, route: str, content: Any = None, *, timeout: float = TIMEOUT_S) -> Any:
        try:
            answer = await self._http.request(method, route, json=content, timeout=timeout)
        except httpx.HTTPError as error:
            raise LinkLost(
                f"{self.address} does not answer: {error or type(error).__name__}",
                hint="is the robot switched on, and its daemon running? 'reachy-mind robot discover' finds robots",
            ) from error
        if answer.status_code >= 400:
            raise HardwareError(f"the daemon refused {route}: {_detail(answer)}")
        return answer.json()

    async def check(self) -> protocol.DaemonStatus:
        """Raises VersionMismatch, RobotBusy, or LinkLost when the daemon is not running."""
        status = protocol.DaemonStatus.model_validate(await self.ask("GET", protocol.STATUS_ROUTE))
        version = protocol.parse_version(status.version)
        if version is not None and not protocol.OLDEST <= version < (2, 0):
            raise VersionMismatch(
                f"the robot's daemon is version {status.version}; this program speaks 1.10 to 1.x",
                hint="update the robot's software, or Reachy Mind",
            )
        if status.state != "running":
            raise LinkLost(f"the robot's daemon is {status.state}: {status.error or 'no reason given'}")
        await self.check_lock()
        return status

    async def check_lock(self) -> None:
        """Raises RobotBusy when another app holds the robot."""
        try:
            lock = protocol.AppLock.model_validate(await self.ask("GET", protocol.LOCK_ROUTE))
        except (HardwareError, ValidationError):
            return  # a daemon without app lock
        if lock.state != "free" and lock.holder_name != self._app_name:
            raise RobotBusy(
                f"the robot is in use by {lock.holder_name or lock.state}", hint="stop that app first, then try again"
            )

    async def camera_specs(self) -> dict[str, Any]:
        """Name, resolutions and lens (`K`) of its camera."""
        specs: dict[str, Any] = await self.ask("GET", protocol.CAMERA_ROUTE)
        return specs

    async def motor_mode(self) -> MotorMode:
        return protocol.MotorStatus.model_validate(await self.ask("GET", protocol.MOTORS_ROUTE)).mode

    async def set_motor_mode(self, mode: MotorMode) -> None:
        """Raises HardwareError when the daemon says ok but the motors stay as they were."""
        await self.ask("POST", f"{protocol.SET_MOTORS_ROUTE}/{mode}")
        now = await self.motor_mode()
        if now is not mode:
            raise HardwareError(f"the daemon accepted motor mode {mode} but the motors are still {now}")

    async def stop_moves(self) -> None:
        """End the moves that the daemon itself plays: while one runs it ignores our targets."""
        for move in await self.ask("GET", protocol.RUNNING_ROUTE):
            try:
                await self.ask("POST", protocol.STOP_ROUTE, {"uuid": move["uuid"]})
            except HardwareError:
                continue  # it ended by itself meanwhile

    async def settle_motors(self) -> None:
        """One short goto on the spot: daemons have crashed on targets streamed right after the motors came on."""
        await self.ask("POST", protocol.GOTO_ROUTE, {"duration": 0.2})
        try:
            async with asyncio.timeout(3.0):
                # The daemon has no event for this, so it is asked.
                while await self.ask("GET", protocol.RUNNING_ROUTE):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise TimedOut("the robot's daemon does not end its move") from None

    async def play_sound(self, sound: Path) -> None:
        """Send a sound file to the robot and start it. Raises HardwareError where the daemon has no speaker.

        Its answer "ok" says nothing about that, so its media are asked about first.
        """
        if not (await self.media()).available:
            raise HardwareError("the robot's daemon has no media", hint="its speaker may be in use by another program")
        content = await asyncio.to_thread(sound.read_bytes)
        try:
            answer = await self._http.post(protocol.UPLOAD_ROUTE, files={"file": (sound.name, content)}, timeout=30)
        except httpx.HTTPError as error:
            raise LinkLost(f"{self.address} did not take the sound: {error or type(error).__name__}") from error
        if answer.status_code >= 400:
            raise HardwareError(f"the daemon refused the sound: {_detail(answer)}")
        await self.ask("POST", protocol.SOUND_ROUTE, {"file": sound.name})

    async def stop_sound(self) -> None:
        """Silence. A daemon without media has nothing to stop."""
        await self.ask("POST", protocol.STOP_SOUND_ROUTE)

    async def set_volume(self, volume: int) -> int:
        """How loud its loudspeaker is, 0 to 100, read back. Raises HardwareError where the daemon has none."""
        await self.ask("POST", protocol.SET_VOLUME_ROUTE, {"volume": volume})
        return protocol.VolumeStatus.model_validate(await self.ask("GET", protocol.VOLUME_ROUTE)).volume

    async def sound_direction(self) -> protocol.SoundDirection | None:
        """Where it hears a sound; None for a robot that can't tell."""
        told = await self.ask("GET", protocol.DIRECTION_ROUTE)
        return None if told is None else protocol.SoundDirection.model_validate(told)

    async def media(self) -> protocol.MediaStatus:
        return protocol.MediaStatus.model_validate(await self.ask("GET", protocol.MEDIA_ROUTE))

    async def release_media(self) -> None:
        """Camera and sound are free for this program. Raises HardwareError when the daemon keeps them all the same."""
        await self.ask("POST", protocol.RELEASE_ROUTE, timeout=MEDIA_TIMEOUT_S)
        if (await self.media()).available:
            raise HardwareError("the daemon said it released its media, but still has them")

    async def acquire_media(self) -> None:
        """The daemon has camera and sound again. Raises HardwareError when it did not take them."""
        await self.ask("POST", protocol.ACQUIRE_ROUTE, timeout=MEDIA_TIMEOUT_S)
        if (await self.media()).released:
            raise HardwareError("the daemon said it took its media again, but they are still released")

    async def quiet(self) -> None:
        """Switch off the daemon's own wobbling and face tracking, which would fight with our motion."""
        for route in (protocol.WOBBLING_OFF_ROUTE, protocol.TRACKING_OFF_ROUTE):
            try:
                await self.ask("POST", route)
            except HardwareError:
                continue  # a daemon without media has neither

    async def resume_tracking(self) -> None:
        """Face tracking as it was before `quiet`."""
        await self.ask("POST", protocol.TRACKING_ON_ROUTE)


def _detail(answer: httpx.Response) -> str:
    try:
        detail = answer.json().get("detail", answer.text)
    except (json.JSONDecodeError, AttributeError):
        detail = answer.text
    return f"{answer.status_code}, {detail}"[:300]
