"""The voice activity detection: one model for many conversations, each with a state of its own."""

from __future__ import annotations

import asyncio

import numpy as np
from pipecat.audio.vad.vad_analyzer import VADState

from reachy_mind.speech import audio_format
from reachy_mind.speech.vad import VAD_PARAMS, SharedSilero

BLOCK = 640


async def states(analyzer: SharedSilero, pcm: bytes) -> list[VADState]:
    return [await analyzer.analyze_audio(pcm[begin : begin + BLOCK]) for begin in range(0, len(pcm), BLOCK)]


def analyzer() -> SharedSilero:
    made = SharedSilero(VAD_PARAMS)
    made.set_sample_rate(16000)
    return made


async def test_two_conversations_at_once_hear_what_each_hears_alone(clips: dict[str, bytes]) -> None:
    first, second = clips["Play the happy dance, please."], bytes(32000) + clips["Yes."] + bytes(32000)
    alone = [await states(analyzer(), pcm) for pcm in (first, second)]
    together = await asyncio.gather(states(analyzer(), first), states(analyzer(), second))
    assert together == alone
    assert VADState.SPEAKING in alone[0] and VADState.SPEAKING in alone[1]
    assert set(alone[1][:40]) == {VADState.QUIET}


async def test_a_voice_that_grows_unclear_goes_on_and_none_begins_so() -> None:
    made, loud = analyzer(), audio_format.to_pcm(np.full(BLOCK // 2, 0.3, np.float32))
    for likely, state in (
        (0.4, VADState.QUIET),
        (0.9, VADState.SPEAKING),
        (0.4, VADState.SPEAKING),
        (0.1, VADState.QUIET),
    ):
        made._model = lambda *_, likely=likely: np.array([[likely]])  # what the network says of any sound
        assert (await states(made, loud * 20))[-1] is state, likely
