"""Sound routes of the simulator, `/sim/v1/audio`: sound sources, the room, and recordings of microphone and speaker."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Annotated, Any, Self

from fastapi import APIRouter, HTTPException, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from reachy_mind.body import protocol, wav
from reachy_mind.body.wav import RATE_HZ
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.sim.convolution import BLOCK
from reachy_mind.sim.people import SimulatedPeople
from reachy_mind.sim.playback import LiveSound, SoundClip, read_clip
from reachy_mind.sim.room_acoustics import EAR, RoomAcoustics, SoundPlace
from reachy_mind.sim.sound_mixer import TAPE_S, Acoustics, SoundMixer, SoundSource

MAX_BYTES = 64 << 20
MOUTH_BELOW_M = 0.06
"""Below the middle of the head."""

Direction = Annotated[FiniteFloat, Field(ge=-7, le=7)]
Distance = Annotated[FiniteFloat, Field(ge=0.2, le=50)]
Height = Annotated[FiniteFloat, Field(ge=-10, le=10)]
Gain = Annotated[FiniteFloat, Field(ge=-80, le=40)]


class Placement(BaseModel):
    """Radians, 0 ahead of the robot's foot, left positive; metres along the floor, and above the foot.

    With a `person` the sound comes from their mouth, follows them, and ends when they leave.
    """

    model_config = ConfigDict(extra="forbid")

    person: str | None = None

    direction: Direction = 0.0
    distance: Distance = 1.0
    height: Height = EAR[2]
    gain_db: Gain = 0.0

    def put(self, supply: SoundClip | LiveSound, sound: SoundMixer, people: SimulatedPeople) -> SoundSource:
        """Add the sound to the room. Raises a MindError when it can't be placed."""
        if self.person is None:
            place = SoundPlace.towards(self.direction, self.distance, self.height)
            return sound.add(supply, place, self.gain_db)
        speaker = people[self.person]

        def mouth() -> SoundPlace | None:
            if speaker not in people:
                return None
            x, y, z = people.head(speaker)
            return SoundPlace(x, y, z - MOUTH_BELOW_M)

        return sound.follow(supply, mouth, self.gain_db)


class ClipPlacement(Placement):
    loop: bool = False
    at_s: Annotated[FiniteFloat, Field(ge=0)] | None = None
    """Start time, in seconds of `GET /sim/v1/audio`; at once if absent or in the past."""


class Movement(BaseModel):
    model_config = ConfigDict(extra="forbid")

    direction: Direction
    distance: Distance
    height: Height = EAR[2]
    gain_db: Gain | None = None


class RoomRequest(BaseModel):
    """Fields left out have their defaults."""

    model_config = ConfigDict(extra="forbid")

    size: tuple[
        Annotated[float, Field(ge=1, le=50)], Annotated[float, Field(ge=1, le=50)], Annotated[float, Field(ge=2, le=20)]
    ] = RoomAcoustics().size
    reverb_s: Annotated[FiniteFloat, Field(ge=0, le=3)] = RoomAcoustics().reverb_s
    noise_db: Annotated[FiniteFloat, Field(ge=-120, le=0)] | None = Acoustics().noise_db
    echo_db: Annotated[FiniteFloat, Field(ge=-120, le=20)] = Acoustics().echo_db
    echo_delay_s: Annotated[FiniteFloat, Field(ge=0, le=1)] = Acoustics().echo_delay_s
    seed: Annotated[int, Field(ge=0, lt=1 << 31)] = 0

    @classmethod
    def of(cls, acoustics: Acoustics) -> Self:
        a, room = acoustics, acoustics.room
        return cls(
            size=room.size,
            reverb_s=room.reverb_s,
            noise_db=a.noise_db,
            echo_db=a.echo_db,
            echo_delay_s=a.echo_delay_s,
            seed=a.seed,
        )

    def acoustics(self, foot_height: float) -> Acoustics:
        room = RoomAcoustics(self.size, self.reverb_s, foot_height)
        return Acoustics(room, self.noise_db, self.echo_db, self.echo_delay_s, self.seed)


class Volume(BaseModel):
    model_config = ConfigDict(extra="forbid")

    volume: Annotated[int, Field(ge=0, le=100)]


@contextlib.contextmanager
def _http_errors() -> Iterator[None]:
    try:
        yield
    except MindError as error:
        raise HTTPException(422, error.as_dict()) from error


def describe(source: SoundSource) -> dict[str, Any]:
    place = source.place
    kind = "stream" if isinstance(source.supply, LiveSound) else "clip"
    return {"id": source.name, "kind": kind, "x": place.x, "y": place.y, "z": place.z, "distance": place.distance}


def audio_routes(sound: SoundMixer, people: SimulatedPeople) -> APIRouter:
    router = APIRouter(prefix=protocol.SIM_AUDIO)

    def wanted(name: str) -> SoundSource:
        if name not in sound.sources:
            there = ", ".join(sound.sources) or "none"
            raise HTTPException(404, InvalidParameter(f"no sound {name!r}", hint=f"sounds now: {there}").as_dict())
        return sound.sources[name]

    def speaker_state() -> dict[str, Any]:
        return {"volume": sound.volume, "queued": sum(voice.queued for voice in sound.voices)}

    @router.get("")
    async def everything() -> dict[str, Any]:
        """The audio clock, the room, its sources and the loudspeaker."""
        return {
            "time_s": sound.now / RATE_HZ,
            "rate": RATE_HZ,
            "block": BLOCK,
            "room": RoomRequest.of(sound.acoustics),
            "sources": [describe(source) for source in sound.sources.values()],
            "speaker": speaker_state(),
            "listeners": len(sound.microphone) + len(sound.speaker),
            "lost": sound.microphone.lost + sound.speaker.lost,
        }

    @router.put("/room")
    async def arrange(body: RoomRequest) -> RoomRequest:
        """Set size, reverberation, noise, the robot's own echo, and the random seed."""
        with _http_errors():
            sound.set_acoustics(body.acoustics(sound.acoustics.room.foot_height))
        return RoomRequest.of(sound.acoustics)

    @router.post("/sources", status_code=201)
    async def add(request: Request, body: Annotated[ClipPlacement, Query()]) -> dict[str, Any]:
        """Play a WAV file, the request's body, at a place in the room or from a person's mouth."""
        data = bytearray()
        async for chunk in request.stream():
            data += chunk
            if len(data) > MAX_BYTES:
                raise HTTPException(413, f"a WAV file of more than {MAX_BYTES >> 20} MB")
        with _http_errors():
            samples = await asyncio.to_thread(read_clip, bytes(data))
            start = sound.now if body.at_s is None else max(sound.now, round(body.at_s * RATE_HZ))
            return describe(body.put(SoundClip(samples, start, loop=body.loop), sound, people))

    @router.put("/sources/{name}")
    async def move(name: str, body: Movement) -> dict[str, Any]:
        """Move a sound source, with a fade of one block. A person's voice then no longer follows them."""
        source = wanted(name)
        source.position_of = None
        with _http_errors():
            sound.move(source, SoundPlace.towards(body.direction, body.distance, body.height), body.gain_db)
        return describe(source)

    @router.delete("/sources/{name}", status_code=204)
    async def remove(name: str) -> None:
        sound.remove(wanted(name))

    @router.delete("/sources", status_code=204)
    async def remove_all() -> None:
        for source in list(sound.sources.values()):
            sound.remove(source)

    @router.put("/speaker")
    async def set_volume(body: Volume) -> dict[str, Any]:
        sound.volume = body.volume
        return speaker_state()

    def tape(blocks: list[bytes], seconds: float) -> Response:
        count = round(seconds * RATE_HZ / BLOCK)
        kept = blocks[-count:]
        headers = {"Cache-Control": "no-store", "X-First-Sample": str(sound.now - len(kept) * BLOCK)}
        return Response(wav.write(b"".join(kept)), media_type="audio/wav", headers=headers)

    @router.get("/microphone.wav", response_class=Response)
    async def heard(seconds: Annotated[float, Query(ge=0.02, le=TAPE_S)] = 5.0) -> Response:
        """The last seconds of the robot's microphone."""
        return tape(list(sound.microphone_tape), seconds)

    @router.get("/speaker.wav", response_class=Response)
    async def said(seconds: Annotated[float, Query(ge=0.02, le=TAPE_S)] = 5.0) -> Response:
        """The last seconds of its loudspeaker, including silence."""
        return tape(list(sound.speaker_tape), seconds)

    return router
