"""Model routes: what there is and what fits this machine; start and cancel a download in the background."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter

from reachy_mind.mind import Mind
from reachy_mind.models import ollama
from reachy_mind.models.overview import Overview
from reachy_mind.server.not_found import as_not_found
from reachy_mind.speech.voice_offer import voice_offer


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/models")

    @routes.get("")
    async def models() -> dict[str, Any]:
        """Every model and asset with its state and download, the recommended chat model, and those of an Ollama.

        `offered`: the robot has nothing to think with, and the recommended model would change that. `voice`: a natural
        voice to get, with a name where there is none yet.
        """
        pulls, configuration = mind.pulls, mind.configuration
        if mind.thinking.loaded:
            await mind.thinking.decide()
        found, voice, running = await asyncio.gather(
            asyncio.to_thread(Overview.of, configuration, pulls.store, pulls.failed),
            asyncio.to_thread(voice_offer, configuration, pulls.store, pulls.failed),
            ollama.probe(ollama.DEFAULT_URL),
        )
        offered = mind.thinking.lacks_model and not found.used and not found.recommended.obstacle
        return {
            "models": [_row(row, mind, used=row["name"] == found.used) for row in found.rows],
            "total": len(found.rows),
            "recommended": found.recommended.as_dict(),
            "offered": offered and found.recommended.model is not None,
            "voice": voice.as_dict(),
            "ollama": running.as_dict(configuration.settings.openai.model) if running is not None else None,
        }

    @routes.post("/{name}/pull", status_code=202)
    async def pull(name: str) -> dict[str, Any]:
        """Download a model in the background; does nothing if that is under way. Its hash is checked."""
        with as_not_found():
            return {"name": name} | mind.pulls.start(name).as_dict()

    @routes.delete("/{name}/pull")
    async def cancel(name: str) -> dict[str, Any]:
        """Cancel a download. The next one resumes it."""
        with as_not_found():
            return {"name": name, "cancelled": await mind.pulls.cancel(name)}

    return routes


def _row(row: dict[str, Any], mind: Mind, *, used: bool) -> dict[str, Any]:
    pull = mind.pulls.get(row["name"])
    shown = {key: value for key, value in row.items() if key != "path"}
    return shown | {"used": used, "pull": pull.as_dict() if pull is not None else None}
