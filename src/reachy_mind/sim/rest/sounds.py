"""`/api/media/sounds`, `play_sound`, `stop_sound`: upload and playback of sound files."""

from __future__ import annotations

from pathlib import PurePosixPath

from fastapi import APIRouter, Depends, HTTPException, UploadFile
from pydantic import BaseModel

from reachy_mind.errors import InvalidParameter
from reachy_mind.sim.daemon_service import DaemonService
from reachy_mind.sim.device import DaemonIdentity
from reachy_mind.sim.sound_files import Sounds

MAX_BYTES = 50 << 20


class PlayRequest(BaseModel):
    file: str


def sound_routes(sounds: Sounds, device: DaemonIdentity, service: DaemonService) -> APIRouter:
    router = APIRouter(prefix="/api/media")
    needs_robot = [Depends(service.require_running)]

    @router.post("/play_sound", dependencies=needs_robot)
    async def play(body: PlayRequest) -> dict[str, str]:
        """Unknown files are a 404; the vendor's daemon answers ok."""
        if device.media_released:
            raise HTTPException(503, "the media were released: acquire them first")
        try:
            sounds.play(body.file)
        except InvalidParameter as error:
            raise HTTPException(404, f"{error.message}. {error.hint}") from None
        return {"status": "ok"}

    @router.post("/stop_sound", dependencies=needs_robot)
    async def stop() -> dict[str, str]:
        sounds.stop()
        return {"status": "ok"}

    @router.post("/clear_incoming_audio", dependencies=needs_robot)
    async def clear() -> dict[str, str]:
        """Nothing comes in over WebRTC, so there is nothing to clear."""
        return {"status": "ok"}

    @router.get("/sounds")
    async def names() -> dict[str, list[str]]:
        return {"files": sounds.names()}

    @router.post("/sounds/upload")
    async def upload(file: UploadFile) -> dict[str, str]:
        """Upload a WAV file. The vendor's daemon also accepts other formats."""
        name = PurePosixPath(file.filename or "").name
        if name in ("", "..") or PurePosixPath(name).suffix.lower() != ".wav":
            raise HTTPException(400, f"Unsupported file {name!r}: the simulator plays WAV files")
        content = await file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise HTTPException(413, f"a sound of more than {MAX_BYTES >> 20} MB")
        try:
            await sounds.keep(name, content)
        except InvalidParameter as error:
            raise HTTPException(400, f"{error.message}. {error.hint}") from None
        return {"status": "ok", "path": name}

    @router.delete("/sounds/{filename}")
    async def delete(filename: str) -> dict[str, str]:
        try:
            sounds.forget(filename)
        except KeyError:
            raise HTTPException(404, f"File {filename!r} not found") from None
        return {"status": "ok"}

    return router
