"""`/api/media`, `/api/volume`, `/api/audio`, `/api/camera`: the media routes of the vendor's daemon.

Camera, microphone and loudspeaker are under `/sim/v1`: the vendor's media server is not simulated. Volumes apply to
them as well.
"""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Depends, HTTPException
from pydantic import BaseModel, Field

from reachy_mind.body import protocol
from reachy_mind.body.wav import RATE_HZ as SAMPLE_RATE_HZ
from reachy_mind.body.wav import Samples
from reachy_mind.sim.camera import eye_specs
from reachy_mind.sim.daemon_service import DaemonService
from reachy_mind.sim.device import DaemonIdentity, Volume
from reachy_mind.sim.robot import SimulatedRobot
from reachy_mind.sim.sound_mixer import SoundMixer


def _chime() -> Samples:
    t = np.arange(round(0.25 * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ
    tones = [np.sin(math.tau * pitch * t) * np.exp(-8 * t) * np.minimum(1, t / 0.005) for pitch in (660, 880)]
    return np.asarray(0.3 * np.concatenate(tones), dtype=np.float32)


_TEST_SOUND = _chime()


class VolumeRequest(BaseModel):
    volume: Volume


class VolumeAnswer(BaseModel):
    volume: int
    platform: str = "simulation"
    device: str


class TrackingRequest(BaseModel):
    weight: Annotated[float, Field(ge=0, le=1)] = 1.0


def media_routes(robot: SimulatedRobot, device: DaemonIdentity, service: DaemonService) -> APIRouter:
    router = APIRouter(prefix="/api/media")
    needs_robot = [Depends(service.require_running)]

    @router.get("/status")
    async def media_status() -> dict[str, bool]:
        """`available`: uploaded sounds are played. `no_media`: there is no media server."""
        return {"available": not device.media_released, "released": device.media_released, "no_media": True}

    @router.post("/release")
    async def release() -> dict[str, str]:
        device.media_released = True
        return {"status": "ok"}

    @router.post("/acquire")
    async def acquire() -> dict[str, str]:
        device.media_released = False
        return {"status": "ok"}

    @router.post("/wobbling/enable", dependencies=needs_robot)
    async def wobble() -> dict[str, str]:
        """As the vendor's daemon without media: accepted without effect."""
        return {"status": "ok"}

    @router.post("/wobbling/disable", dependencies=needs_robot)
    async def stop_wobbling() -> dict[str, str]:
        robot.offset((0.0,) * 6)
        return {"status": "ok"}

    @router.post("/tracking/enable", dependencies=needs_robot)
    async def enable_tracking(_: TrackingRequest | None = None) -> dict[str, Any]:
        return {"status": "unavailable", "enabled": False}

    @router.post("/tracking/disable", dependencies=needs_robot)
    async def disable_tracking() -> dict[str, Any]:
        return {"status": "ok", "enabled": False}

    @router.get("/tracking/face", dependencies=needs_robot)
    async def tracked_face() -> dict[str, Any]:
        return {"status": "ok", "face_target": protocol.FaceTarget()}

    return router


def volume_routes(sound: SoundMixer) -> APIRouter:
    router = APIRouter(prefix="/api/volume")

    @router.get("/current")
    async def volume() -> VolumeAnswer:
        return VolumeAnswer(volume=sound.volume, device="simulated speaker")

    @router.post("/set")
    async def set_volume(body: VolumeRequest) -> VolumeAnswer:
        """The vendor's daemon also plays a sound at the new volume."""
        sound.volume = body.volume
        return await volume()

    @router.post("/test-sound")
    async def test_sound() -> dict[str, str]:
        """Two short tones."""
        sound.play(_TEST_SOUND)
        return {"status": "ok", "message": "Test sound played"}

    @router.get("/microphone/current")
    async def microphone_volume() -> VolumeAnswer:
        return VolumeAnswer(volume=sound.microphone_volume, device="simulated microphone")

    @router.post("/microphone/set")
    async def set_microphone_volume(body: VolumeRequest) -> VolumeAnswer:
        sound.microphone_volume = body.volume
        return await microphone_volume()

    return router


def hardware_routes() -> APIRouter:
    """The camera's specifications, and the missing audio board."""
    router = APIRouter(prefix="/api")

    @router.get("/camera/specs")
    async def camera_specs() -> dict[str, Any]:
        return eye_specs()

    @router.post("/audio/config/apply")
    async def apply_audio_config() -> None:
        raise HTTPException(503, "ReSpeaker audio board not available")

    @router.get("/audio/config/parameter/{name}")
    async def audio_parameter(name: str) -> None:
        raise HTTPException(503, f"ReSpeaker audio board not available: no {name}")

    return router
