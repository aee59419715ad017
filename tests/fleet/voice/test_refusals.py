"""Why a session can't be opened: the device is told in a sentence, and its connection goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from reachy_mind.config.configuration import Configuration
from reachy_mind.fleet.control.metrics import FleetMetrics
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.device.hub_address import EXCHANGE_PATH
from reachy_mind.fleet.device.personas import PersonaTexts
from reachy_mind.fleet.protocol.audio import MICROPHONE, AudioFlags, AudioFrame
from reachy_mind.fleet.protocol.frame import decode, encode, new_frame
from reachy_mind.fleet.voice.hub_voice import HubVoice
from reachy_mind.fleet.voice.session import VoiceRefused
from reachy_mind.fleet.voice.worker_setup import WorkerSetup
from tests.fleet.hub_server import hub_server
from tests.fleet.voice.conftest import voice_node


class Exchange:
    """A device whose network lets no WebSocket through."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self._url = f"http://127.0.0.1:{port}{EXCHANGE_PATH}"
        self._headers, self._conn = headers, ""

    async def say(self, type_: str, payload: dict[str, Any]) -> dict[str, Any]:
        """Say something; what the last frame of the answer says."""
        content = {"frames": [encode(new_frame(type_, payload))], "wait_s": 5.0}
        async with httpx.AsyncClient(headers=self._headers) as client:
            answer = await client.post(self._url, json=content | ({"conn": self._conn} if self._conn else {}))
        self._conn = answer.json()["conn"]
        return decode(answer.json()["frames"][-1]).p


async def test_a_node_without_voice_says_so(tmp_path: Path) -> None:
    async with SqliteStore(tmp_path / "fleet.db") as store, hub_server(store) as server:
        kitchen = await server.device()
        async with server.client(kitchen) as client:
            await client.say("voice.open", {"stream": 1, "language": "en"})
            refusal = (await client.next("voice.refused")).p
            assert refusal["stream"] == 1 and "switched off" in refusal["reason"]
            sound = AudioFrame(MICROPHONE, AudioFlags(0), 1, 0, 0, bytes(640))
            await client.socket.send(sound.encode())
            await client.say("button.pressed", seq=1)
            await client.acked(1)


async def test_a_node_that_holds_none_refuses_all(tmp_path: Path, configuration: Configuration) -> None:
    setup = WorkerSetup.of(configuration, "reflex")
    async with SqliteStore(tmp_path / "fleet.db") as store, voice_node(store, tmp_path, setup, limit=0) as node:
        async with node.link(await node.device("kitchen")) as link:
            with pytest.raises(VoiceRefused, match="switched off") as refused:
                await HubVoice(link).open(None, "en")
            assert refused.value.retry_after_s == 0
            of_the_program = PersonaTexts("companion", "", {"instructions.txt": "Be kind."})
            with pytest.raises(VoiceRefused, match="switched off"):
                await HubVoice(link).open(of_the_program, "en")
            assert link.counters.connects == 1, "what the control plane does not know costs no connection"
            metrics = (await FleetMetrics(node.server.hub, store).text()).decode()
            assert 'reachy_fleet_voice_refused_total{reason="off"} 2.0' in metrics
            assert "reachy_fleet_voice_sessions 0.0" in metrics
        with pytest.raises(VoiceRefused, match="no connection"):
            await HubVoice(link).open(None, "en")


async def test_requests_carry_no_sound(tmp_path: Path, configuration: Configuration) -> None:
    setup = WorkerSetup.of(configuration, "reflex")
    async with SqliteStore(tmp_path / "fleet.db") as store, voice_node(store, tmp_path, setup, limit=1) as node:
        kitchen = await node.device("kitchen")
        exchange = Exchange(node.server.port, node.server.headers(kitchen))
        await exchange.say("hello", {"device": kitchen.id, "boot": "boot-1", "epoch": "epoch-1"})
        refusal = await exchange.say("voice.open", {"stream": 3})
        assert "carries no sound" in refusal["reason"]


@pytest.mark.process
async def test_without_the_extra_a_device_is_told_what_to_install(
    tmp_path: Path, configuration: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = tmp_path / "site" / "pipecat"
    absent.mkdir(parents=True)
    (absent / "__init__.py").write_text("raise ImportError('not installed')\n")
    here = str(Path(__file__).parents[3] / "src")
    monkeypatch.setenv("PYTHONPATH", f"{absent.parent}:{here}")
    setup = WorkerSetup.of(configuration, "reflex")
    async with (
        SqliteStore(tmp_path / "fleet.db") as store,
        voice_node(store, tmp_path, setup, limit=1) as node,
        node.link(await node.device("kitchen")) as link,
    ):
        with pytest.raises(VoiceRefused, match="'speech' extra") as refused:
            await HubVoice(link).open(None, "en")
        assert refused.value.hint == "pip install 'reachy-mind[speech]'"
        assert link.state == "connected"
