"""The voices of macOS and Windows, with stand-ins for their programs that read the options as documented."""

from __future__ import annotations

import base64
import shlex
import sys
from pathlib import Path

import pytest

from reachy_mind.errors import NotReady, WorkerError
from reachy_mind.speech import engines, system_voice
from tests.speech.test_engines import configured

pytestmark = pytest.mark.process

SAY = """
import argparse, sys, wave
parser = argparse.ArgumentParser()
for short in ("-v", "-r", "-o", "-f"):
    parser.add_argument(short, required=True)
parser.add_argument("--file-format", choices=["WAVE"], required=True)
parser.add_argument("--data-format", choices=["LEI16@22050"], required=True)
given = parser.parse_args()
if given.v not in ("Samantha", "Anna"):
    sys.exit(f"Voice `{given.v}' not found.")
assert given.f == "-"
"""
POWERSHELL = """
import base64, re, sys, wave
*options, encoded = sys.argv[1:]
assert options == ["-NoLogo", "-NoProfile", "-NonInteractive", "-EncodedCommand"]
script = base64.b64decode(encoded).decode("utf-16-le")
class given:
    o = re.search(r"SetOutputToWaveFile\\('((?:[^']|'')*)'\\)", script)[1].replace("''", "'")
    r = 175 + 17.5 * int(re.search(r"Rate = (-?\\d+)", script)[1])
"""
SPEAK = """
text = sys.stdin.buffer.read().decode()
with wave.open(given.o, "wb") as file:
    file.setnchannels(1), file.setsampwidth(2), file.setframerate(22050)
    file.writeframes(bytes(2 * int(len(text) * 22050 * 8 / float(given.r))))
"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, begin in (("say", SAY), ("powershell", POWERSHELL)):
        source = tmp_path / f"{name}.py"
        source.write_text(begin + SPEAK, encoding="utf-8")
        program = tmp_path / "programs" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(source))} "$@"\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "programs"))


async def said(system: str, text: str, speed: float = 1.0, language: str = "en") -> bytes:
    return b"".join([pcm async for pcm in system_voice.voice(language, speed, system).synthesize(text)])


@pytest.mark.usefixtures("programs")
@pytest.mark.parametrize("system", ["darwin", "win32"])
async def test_text_goes_in_and_sound_comes_back_and_quicker_is_shorter(system: str) -> None:
    slow, quick = await said(system, "It's nice to see you."), await said(system, "It's nice to see you.", speed=1.5)
    assert 0 < len(quick) < len(slow)


@pytest.mark.usefixtures("programs")
async def test_a_voice_that_is_not_installed_says_where_to_add_it() -> None:
    with pytest.raises(WorkerError, match="Xander") as error:
        await said("darwin", "Goedemorgen.", language="nl")
    assert "Spoken Content" in error.value.hint


def test_nothing_of_the_path_is_read_as_script() -> None:
    *_, encoded = system_voice.windows_command(r"C:\Users\O'Neil & Co\x.wav", "en", 1.0)
    assert r"SetOutputToWaveFile('C:\Users\O''Neil & Co\x.wav')" in base64.b64decode(encoded).decode("utf-16-le")


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has no voice of its own")
def test_on_linux_it_is_refused_with_what_to_install(tmp_path: Path) -> None:
    chosen = engines.mouth(configured(tmp_path, voice="system"))
    assert chosen.part is None and "apt-get install flite" in chosen.fix
    with pytest.raises(NotReady):
        engines.required(chosen, "voice")
