"""`reachy-mind voices`: list the voices, hear one, choose one."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.speech.voice_list import ListedVoice

app = typer.Typer(name="voices", help="Voices: list them, hear one, choose one.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Name = Annotated[str, typer.Argument(help="Name from 'reachy-mind voices list'.")]
AUTO = "auto"


@app.command("list")
def list_voices(as_json: Json = False) -> None:
    """Every voice: its engine and licence, whether it is on this machine, and how to get it."""
    from reachy_mind.speech.voice_list import listed_voices

    configuration = _configuration()
    found = listed_voices(configuration, _usual(configuration))
    if as_json:
        print(json.dumps({"voices": [voice.as_dict() for voice in found], "total": len(found)}))
        return
    engine = ""
    for voice in found:
        if voice.engine != engine:
            engine = voice.engine
            size = f" ({voice.size / 1e6:.0f} MB)" if voice.size else ""
            state = "" if voice.installed else f"; to get it: {voice.hint}{size}"
            print(f"{engine}: {voice.licence}{state}")
        print(f"{'*' if voice.in_use else ' '} {voice.name:12} {voice.about}")


@app.command("try")
def try_voice(
    name: Name,
    text: Annotated[str, typer.Option("--text", help="What to say.")] = "",
    mood: Annotated[str, typer.Option("--mood", help="Such as calm, cheerful or sad.")] = "",
    output: Annotated[
        str, typer.Option("--output", help="A loudspeaker, by number or part of its name, or a WAV file.", metavar="TO")
    ] = "",
    as_json: Json = False,
) -> None:
    """Let a voice say something, through this computer's loudspeaker or into a WAV file."""
    from reachy_mind.speech import audio_format
    from reachy_mind.speech.voice_list import SAMPLE

    voice = _listed(name)
    pcm = asyncio.run(_sample(voice.engine, voice.name, text or SAMPLE, mood))
    if output.lower().endswith(".wav"):
        _save(Path(output), pcm)
    else:
        asyncio.run(_play(pcm, output))
    said = f"{voice.engine} {voice.name}"
    if as_json:
        print(json.dumps({"voice": said, "seconds": round(audio_format.seconds(pcm), 3), "output": output}))
    else:
        print(f"{said} spoke for {audio_format.seconds(pcm):.1f} s", file=sys.stderr)


@app.command()
def use(name: Annotated[str, typer.Argument(help="Name from the list, or auto.")], as_json: Json = False) -> None:
    """Make a voice the usual one: sets speech.voice_name in config.yaml."""
    from reachy_mind.config.preferences import Preferences

    configuration = _configuration()
    voice = None if name == AUTO else _listed(name)
    preferences = Preferences(configuration, {}, changed=lambda _: None)
    asyncio.run(preferences.change("speech.voice_name", voice.name if voice else ""))
    engine = configuration.settings.speech.voice
    if voice is not None and engine not in (AUTO, voice.engine):
        asyncio.run(preferences.change("speech.voice", AUTO))
    chosen = voice.name if voice else ""
    if as_json:
        print(json.dumps({"key": "speech.voice_name", "value": chosen}))
        return
    print(f"the usual voice is {chosen or 'chosen automatically'} from the next start on")
    if voice is not None and not voice.installed:
        print(f"it is not on this machine yet: {voice.hint}")


def _configuration() -> Configuration:
    from reachy_mind import log
    from reachy_mind.config.configuration import load

    configuration = load()
    log.configure(configuration.settings.log.level, configuration.settings.log.format, configuration.secrets())
    return configuration


def _usual(configuration: Configuration) -> str:
    """Engine and name of the voice that speaks where a personality names none; empty without one."""
    from reachy_mind.speech import engines

    part = engines.mouth(configuration).part
    return part.name if part is not None else ""


def _listed(name: str) -> ListedVoice:
    """Raises InvalidParameter with the nearest names."""
    import difflib

    from reachy_mind.errors import InvalidParameter
    from reachy_mind.speech.voice_list import listed_voices

    found = {voice.name: voice for voice in listed_voices(_configuration())}
    if (voice := found.get(name.strip().lower())) is not None:
        return voice
    near = difflib.get_close_matches(name, found, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "reachy-mind voices list"
    raise InvalidParameter(f"there is no voice called {name}", hint=hint)


async def _sample(engine: str, name: str, text: str, mood: str) -> bytes:
    from reachy_mind.conversation.voice_samples import VoiceSamples

    configuration = _configuration()
    async with VoiceSamples(lambda: configuration) as samples:
        return await samples.sample(engine, name, text, mood)


def _save(file: Path, pcm: bytes) -> None:
    from reachy_mind.body import wav
    from reachy_mind.errors import InvalidParameter

    try:
        file.write_bytes(wav.write(pcm))
    except OSError as error:
        raise InvalidParameter(f"{file} can't be written: {error.strerror}", hint="name another file") from None


async def _play(pcm: bytes, output: str) -> None:
    from reachy_mind.body.media.soundcard_speaker import SoundcardSpeaker

    async with SoundcardSpeaker((output,)) as speaker:
        await speaker.write(pcm)
        await speaker.drained()
