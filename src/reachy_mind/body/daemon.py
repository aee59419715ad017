"""`DaemonClient`: REST client of the robot's daemon: version check, app lock, motors, sounds and media.

Version and app lock are checked before the robot is driven. An "ok" alone is not trusted: the motor mode is read back
after it was set.
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
LOCK_CHECK_INTERVAL_S = 2.0
MEDIA_TIMEOUT_S = 20.0
"""The daemon's media server releases and acquires devices slowly."""


class DaemonClient:
    """REST calls to one robot. They raise LinkLost without an answer and HardwareError when the daemon refuses."""

    lock_check_s = LOCK_CHECK_INTERVAL_S

    def __init__(self, address: Address, *, app_name: str) -> None:
        self.address = address
        self._app_name = app_name
        # Plain HTTP: loading certificates would take longer than connecting.
        self._http = httpx.AsyncClient(base_url=address.http, timeout=TIMEOUT_S, verify=False, trust_env=False)  # noqa: S501

    async def aclose(self) -> None:
        await self._http.aclose()

    async def request(self, method: str, route: str, content: Any = None, *, timeout: float = TIMEOUT_S) -> Any:
        try:
            answer = await self._http.request(method, route, json=content, timeout=timeout)
        except httpx.HTTPError as error:
            raise LinkLost(
                f"{self.address} does not answer: {str(error) or type(error).__name__}",
                hint="is the robot switched on, and its daemon running? 'reachy-mind robot discover' finds robots",
            ) from error
        if answer.status_code >= 400:
            raise HardwareError(f"the daemon refused {route}: {_detail(answer)}")
        return answer.json()

    async def check(self) -> protocol.DaemonStatus:
        """The daemon's status. Raises VersionMismatch, RobotBusy, or LinkLost when the daemon is not running."""
        status = protocol.DaemonStatus.model_validate(await self.request("GET", protocol.STATUS_ROUTE))
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
        """Raises RobotBusy when another app holds the app lock."""
        try:
            lock = protocol.AppLock.model_validate(await self.request("GET", protocol.LOCK_ROUTE))
        except (HardwareError, ValidationError):
            return  # this daemon has no app lock
        if lock.state != "free" and lock.holder_name != self._app_name:
            raise RobotBusy(
                f"the robot is in use by {lock.holder_name or lock.state}", hint="stop that app first, then try again"
            )

    async def camera_specs(self) -> dict[str, Any]:
        """Name, resolutions and intrinsic matrix (`K`) of its camera."""
        specs: dict[str, Any] = await self.request("GET", protocol.CAMERA_ROUTE)
        return specs

    async def motor_mode(self) -> MotorMode:
        return protocol.MotorStatus.model_validate(await self.request("GET", protocol.MOTORS_ROUTE)).mode

    async def set_motor_mode(self, mode: MotorMode) -> None:
        """Set and read back. Raises HardwareError when the daemon says ok but the mode does not change."""
        await self.request("POST", f"{protocol.SET_MOTORS_ROUTE}/{mode}")
        now = await self.motor_mode()
        if now is not mode:
            raise HardwareError(f"the daemon accepted motor mode {mode} but the motors are still {now}")

    async def stop_moves(self) -> None:
        """Stop moves that the daemon itself plays: while one runs, it ignores our targets."""
        for move in await self.request("GET", protocol.RUNNING_ROUTE):
            try:
                await self.request("POST", protocol.STOP_ROUTE, {"uuid": move["uuid"]})
            except HardwareError:
                continue  # it has ended meanwhile

    async def settle_motors(self) -> None:
        """Play one short goto on the spot: daemons have crashed on targets streamed right after enabling motors."""
        await self.request("POST", protocol.GOTO_ROUTE, {"duration": 0.2})
        try:
            async with asyncio.timeout(3.0):
                # Polled: the daemon has no event for this.
                while await self.request("GET", protocol.RUNNING_ROUTE):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise TimedOut("the robot's daemon does not finish its move") from None

    async def play_sound(self, sound: Path) -> None:
        """Upload a sound file and play it. Raises HardwareError when the daemon has no speaker.

        The daemon answers "ok" even then, so its media status is checked first.
        """
        if not (await self.media()).available:
            raise HardwareError("the robot's daemon has no media", hint="its speaker may be in use by another program")
        content = await asyncio.to_thread(sound.read_bytes)
        try:
            answer = await self._http.post(protocol.UPLOAD_ROUTE, files={"file": (sound.name, content)}, timeout=30)
        except httpx.HTTPError as error:
            raise LinkLost(f"{self.address} did not take the sound: {str(error) or type(error).__name__}") from error
        if answer.status_code >= 400:
            raise HardwareError(f"the daemon refused the sound: {_detail(answer)}")
        await self.request("POST", protocol.SOUND_ROUTE, {"file": sound.name})

    async def stop_sound(self) -> None:
        """Stop the sound; does nothing on a daemon without media."""
        await self.request("POST", protocol.STOP_SOUND_ROUTE)

    async def set_volume(self, volume: int) -> int:
        """Set the speaker volume, 0 to 100, and read it back. Raises HardwareError when the daemon has no speaker."""
        await self.request("POST", protocol.SET_VOLUME_ROUTE, {"volume": volume})
        return protocol.VolumeStatus.model_validate(await self.request("GET", protocol.VOLUME_ROUTE)).volume

    async def sound_direction(self) -> protocol.SoundDirection | None:
        """Direction of arrival of a sound; None on a robot that can't measure it."""
        answer = await self.request("GET", protocol.DIRECTION_ROUTE)
        return None if answer is None else protocol.SoundDirection.model_validate(answer)

    async def media(self) -> protocol.MediaStatus:
        return protocol.MediaStatus.model_validate(await self.request("GET", protocol.MEDIA_ROUTE))

    async def release_media(self) -> None:
        """Make the daemon release camera and sound. Raises HardwareError when it keeps them."""
        await self.request("POST", protocol.RELEASE_ROUTE, timeout=MEDIA_TIMEOUT_S)
        if (await self.media()).available:
            raise HardwareError("the daemon said it released its media, but still has them")

    async def acquire_media(self) -> None:
        """Give camera and sound back to the daemon. Raises HardwareError when it does not take them."""
        await self.request("POST", protocol.ACQUIRE_ROUTE, timeout=MEDIA_TIMEOUT_S)
        if (await self.media()).released:
            raise HardwareError("the daemon said it took its media again, but they are still released")

    async def disable_own_motion(self) -> None:
        """Disable the daemon's own wobbling and face tracking, which would conflict with our motion."""
        for route in (protocol.WOBBLING_OFF_ROUTE, protocol.TRACKING_OFF_ROUTE):
            try:
                await self.request("POST", route)
            except HardwareError:
                continue  # not available on a daemon without media

    async def resume_tracking(self) -> None:
        """Re-enable the face tracking that `disable_own_motion` disabled."""
        await self.request("POST", protocol.TRACKING_ON_ROUTE)


def _detail(answer: httpx.Response) -> str:
    try:
        detail = answer.json().get("detail", answer.text)
    except (json.JSONDecodeError, AttributeError):
        detail = answer.text
    return f"{answer.status_code}, {detail}"[:300]
