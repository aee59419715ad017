"""The vendor's conversation app, unchanged, with this mind behind `/v1/realtime`, moves the simulated robot.

Runs where `script/test-conversation-app` has put the app and what it needs (APP_PYTHON, APP_SOURCE).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from reachy_mind.access.loopback import listen
from reachy_mind.body import wav
from tests.conftest import MODELS
from tests.fakes.people import said_now
from tests.fakes.processes import Daemon

PYTHON, SOURCE = os.environ.get("APP_PYTHON", ""), os.environ.get("APP_SOURCE", "")
SENTENCES = ("Look to the left.", "What is seven times eight?", "Dance, please.")

pytestmark = [
    pytest.mark.skipif(not PYTHON, reason="no conversation app"),
    pytest.mark.process,
    pytest.mark.timeout(400),
]


@pytest.fixture(scope="module")
def found(description: Path, compiled: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What the app showed, said and did after each sentence."""
    folder = tmp_path_factory.mktemp("app")
    files = [folder / f"{number}.wav" for number in range(len(SENTENCES))]
    for file, text in zip(files, SENTENCES, strict=True):
        file.write_bytes(wav.write(said_now(text)))
    with listen(0) as free:
        port = free.getsockname()[1]
    ours = os.environ | {"REACHY_MIND_HOME": str(folder / "home"), "REACHY_MIND_MODELS__FOLDER": str(MODELS)}
    command = [sys.executable, "-m", "reachy_mind", "run", "--robot", "none", "--brain", "reflex"]
    command += ["--no-browser", "--no-voice"]
    theirs = {name: value for name, value in os.environ.items() if not name.startswith("REACHY_")}
    theirs |= {"PYTHONPATH": f"{SOURCE}/src", "HF_HUB_OFFLINE": "1", "REACHY_MINI_TELEMETRY": "0"}
    theirs |= {"OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "none"}
    script = Path(__file__).with_name("conversation_app.py")
    with Daemon(description, compiled) as daemon, subprocess.Popen([*command, "--port", str(port)], env=ours) as mind:
        try:
            transport = httpx.HTTPTransport(retries=8)
            with httpx.Client(transport=transport, timeout=60) as client:
                client.get(f"http://127.0.0.1:{port}/healthz").raise_for_status()
            argv = [PYTHON, "-B", str(script), str(daemon.port), *map(str, files)]
            done = subprocess.run(
                argv, check=False, env=theirs, cwd=folder, capture_output=True, text=True, timeout=200
            )
        finally:
            mind.terminate()
            mind.wait(20)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def test_it_moves_the_head_by_voice_and_says_so(found: list[dict[str, Any]]) -> None:
    looked = found[0]
    assert looked["yaw"][1] > 20 and looked["spoken_s"] > 0.3
    assert any("move_head" in message.get("metadata", {}).get("title", "") for message in looked["shown"])


def test_it_answers_a_question(found: list[dict[str, Any]]) -> None:
    assert any("56" in str(message["content"]) for message in found[1]["shown"])


def test_it_dances(found: list[dict[str, Any]]) -> None:
    assert any("dance" in message.get("metadata", {}).get("title", "") for message in found[2]["shown"])
