"""`SourceSocket`: the WebSocket of devices that do not speak cp1 (`protocol/source_messages.py`).

It speaks cp1 in such a device's place: numbers its events, acknowledges what it was given, and reports its state. A
connection is an epoch of its own, as the device keeps nothing.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import json
from typing import Any, Final

from pydantic import ValidationError

from reachy_mind import log
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.fleet.control import audio_clips, twins
from reachy_mind.fleet.control.device_connection import DeviceConnection
from reachy_mind.fleet.control.device_socket import SocketTransport, authenticate, refuse
from reachy_mind.fleet.control.devices import Device, DeviceRefused, NotInTenant
from reachy_mind.fleet.control.hub import DeviceHub
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL, Frame, Lane, decode, encode, new_frame
from reachy_mind.fleet.protocol.handshake import Desired, Heartbeat, Hello, Reported
from reachy_mind.fleet.protocol.message_ids import uuid7
from reachy_mind.fleet.protocol.source_messages import (
    SYNC_EVENTS,
    AudioStream,
    ButtonPress,
    PersonaRequest,
    SourceHeartbeat,
    SwitchAck,
    decode_source,
    encode_source,
)
from reachy_mind.storage.database import DatabaseError

PATH: Final = "/ws"
UNSUPPORTED: Final = "this device can't do that"

_log = log.get(__name__)


class SourceSocket:
    """Serves source devices of a hub."""

    def __init__(self, hub: DeviceHub) -> None:
        self._hub = hub

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()  # websocket.connect
        try:
            device = await authenticate(self._hub, scope)
            if b"x-device-id" not in dict(scope["headers"]):
                raise DeviceRefused("X-Device-ID is missing", hint="a device of cp1 connects with the subprotocol cp1")
        except MindError as error:
            await refuse(error, scope, receive, send, self._hub)
            return
        await send({"type": "websocket.accept"})
        socket = SocketTransport(send)
        try:
            await self._serve(device, socket, receive)
        except ProtocolViolation as error:
            await socket.close(error.code, error.reason)
        except DatabaseError as error:
            _log.error("a device can't be let in", device=device.id, reason=error.message)
            await socket.close(CloseCode.TRY_LATER, "the store can't be used")

    async def _serve(self, device: Device, socket: SocketTransport, receive: Any) -> None:
        translator = SourceTranslator(self._hub, device, socket)
        async with self._hub.connection(device, translator.hello, translator) as connection:
            await translator.begin(connection)
            await connection.serve(self._pump(translator, receive))
            socket.ended = True

    @staticmethod
    async def _pump(translator: SourceTranslator, receive: Any) -> None:
        while True:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                return
            if message.get("text") is not None:
                try:
                    await translator.hear(message["text"])
                except ProtocolViolation as error:
                    await translator.close(error.code, error.reason)


class SourceTranslator:
    """Between a source device and its connection; a `Transport` for the latter."""

    name = "source"
    carries_sound = False

    def __init__(self, hub: DeviceHub, device: Device, socket: SocketTransport) -> None:
        self._hub, self._device, self._socket = hub, device, socket
        self._connection: DeviceConnection | None = None
        self.hello = Hello(device=device.id, boot=uuid7(), epoch=f"source-{uuid7()}", agent="source device")
        self._seq = {USUAL: 0, EMERGENCY: 0}
        self._lock = asyncio.Lock()
        self._desired = Desired()

    async def begin(self, connection: DeviceConnection) -> None:
        """The handshake is over: ask the device for the state that it should have."""
        self._connection = connection
        if self._desired.version:
            await self._desire(self._desired)

    async def send(self, text: str) -> None:
        """A frame for the device."""
        frame = decode(text)
        match frame.type:
            case "welcome" if "desired" in frame.p:
                self._desired = Desired.model_validate(frame.p["desired"])  # applied by `begin`
            case "twin.desired":
                await self._desire(Desired.model_validate(frame.p))
            case _ if frame.seq is not None:
                await self._command(frame)
            case _:
                pass  # acknowledgements: nobody waits for them

    async def send_sound(self, data: bytes) -> None:
        """The older protocol has no sessions."""

    async def close(self, code: int, reason: str) -> None:
        await self._socket.close(code, reason)

    async def hear(self, text: str) -> None:
        """A message of the device. Raises ProtocolError."""
        message = decode_source(text)
        match message:
            case ButtonPress(payload=press) if press.button == "emergency":
                await self._event("emergency.pressed", press.model_dump(exclude_none=True), prio=0)
            case ButtonPress(payload=press):
                await self._event("button.pressed", press.model_dump(exclude_none=True))
            case AudioStream(payload=audio):
                clip = await self._keep(audio.audio_b64)
                about = {"audio": clip, "persona": audio.persona_id, "session": audio.session_id}
                await self._event("utterance.recorded", about)
            case PersonaRequest(payload=request):
                await self._answer_persona(request.persona_id)
            case SwitchAck(payload=switched):
                await self._switched(switched.persona_id if switched.switch_complete else None)
            case SourceHeartbeat(payload=about):
                await self._say(new_frame("heartbeat", Heartbeat.model_validate(_known(about)).model_dump()))

    async def _desire(self, desired: Desired) -> None:
        self._desired = desired
        if desired.persona is None:
            await self._report(None, said=False)
            return
        about: dict[str, Any] = {"persona_id": desired.persona.id}
        if isinstance(desired.config.get(twins.TRANSITION_MESSAGE), str):
            about["transition_message"] = desired.config[twins.TRANSITION_MESSAGE]
        await self._socket.send(encode_source("persona_switch", about))

    async def _switched(self, persona: str | None) -> None:
        wanted = self._desired.persona
        if wanted is not None and persona == wanted.id:
            await self._report(None)
        elif wanted is not None:
            await self._report(f"the device has {persona or 'another one'}")

    async def _report(self, persona_error: str | None, *, said: bool = True) -> None:
        """Say in the device's place which state it has."""
        desired = self._desired
        errors = {"persona": persona_error} if persona_error else {}
        errors |= {"volume": UNSUPPORTED} if desired.volume is not None else {}
        errors |= {"config": UNSUPPORTED} if set(desired.config) - {twins.TRANSITION_MESSAGE} else {}
        persona = desired.persona if persona_error is None else None
        reported = Reported(version=desired.version, persona=persona, errors=errors)
        await self._say(new_frame("twin.reported", reported.model_dump(mode="json")), said=said)

    async def _command(self, frame: Frame) -> None:
        """Give the device a command. What was sent is done, as far as anybody can know."""
        error = ""
        if frame.type == "audio.play":
            error = await self._play(frame.p)
        elif frame.type in SYNC_EVENTS:
            await self._socket.send(encode_source("sync_event", frame.p | {"event_type": SYNC_EVENTS[frame.type]}))
        else:
            error = UNSUPPORTED
        acks: dict[str, Any] = {"ack0" if frame.lane == EMERGENCY else "ack": frame.seq}
        await self._say(new_frame("ack", **acks), said=False)
        status = {"status": "unsupported" if error else "done", "error": error}
        await self._event("command.done", status, said=False, re=frame.id)

    async def _play(self, about: dict[str, Any]) -> str:
        if isinstance(about.get("url"), str):
            await self._socket.send(encode_source("audio_response", {"audio_url": about["url"]}))
            return ""
        clip = str(about.get("audio", ""))
        try:
            content = await self._hub.store.read(lambda sql: audio_clips.get(sql, self._device.tenant, clip))
            samples = base64.b64encode(await asyncio.to_thread(audio_clips.to_float32, content)).decode()
        except (NotInTenant, InvalidParameter) as error:
            return error.message
        await self._socket.send(encode_source("audio_response", {"audio_b64": samples}))
        return ""

    async def _keep(self, audio_b64: str) -> str:
        """Store what was said; returns the clip's id. Raises ProtocolError."""
        try:
            content = audio_clips.from_float32(base64.b64decode(audio_b64, validate=True))
            return await self._hub.store.write(
                lambda sql: audio_clips.record(sql, self._device.tenant, content, device=self._device.id)
            )
        except (binascii.Error, InvalidParameter) as error:
            raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, f"audio_stream: {error}") from error

    async def _answer_persona(self, persona: str) -> None:
        def find(sql: Sql) -> dict[str, Any] | None:
            row = sql.row(
                "SELECT body FROM persona WHERE tenant = ? AND id = ? ORDER BY created_at DESC LIMIT 1",
                *(self._device.tenant, persona),
            )
            return dict(json.loads(row["body"])) if row else None

        body = await self._hub.store.read(find)
        await self._socket.send(encode_source("persona_response", {"persona_id": persona, "persona": body}))

    async def _event(self, type_: str, payload: dict[str, Any], *, said: bool = True, **fields: Any) -> None:
        """An event of the device, with the next number of its lane. `said`: by the device itself."""
        async with self._lock:
            frame = new_frame(type_, payload, **fields)
            lane: Lane = frame.lane
            self._seq[lane] += 1
            await self._hand_on(frame.model_copy(update={"seq": self._seq[lane]}), limited=said)

    async def _say(self, frame: Frame, *, said: bool = True) -> None:
        async with self._lock:
            await self._hand_on(frame, limited=said)

    async def _hand_on(self, frame: Frame, *, limited: bool) -> None:
        assert self._connection is not None, "the handshake is over"
        await self._connection.receive(encode(frame), limited=limited)


def _known(about: dict[str, Any]) -> dict[str, Any]:
    """The fields of a heartbeat that make sense."""
    known = {}
    for key in ("temperature_c", "battery_percent", "state"):
        with contextlib.suppress(ValidationError):
            Heartbeat.model_validate({key: about[key]} if key in about else {}, strict=True)
            known[key] = about.get(key)
    return {key: value for key, value in known.items() if value is not None}
