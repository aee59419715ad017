"""One channel out of several: what was said is there, whatever the microphones do."""

from __future__ import annotations

import numpy as np
import pytest

from reachy_mind.body.channels import ChannelMixer
from reachy_mind.sim.room_acoustics import RoomAcoustics, SoundPlace

RATE = 16000
APART_M = 0.06


def voice(seconds: float = 4.0, seed: int = 1) -> np.ndarray:
    """Noise in syllables, with pauses, of the band of speech."""
    rng = np.random.default_rng(seed)
    spectrum = np.fft.rfft(rng.normal(size=round(seconds * RATE)))
    frequency = np.fft.rfftfreq(round(seconds * RATE), 1 / RATE)
    spectrum[(frequency < 150) | (frequency > 4000)] = 0
    sound = np.fft.irfft(spectrum / np.maximum(frequency, 150), round(seconds * RATE))
    t = np.arange(len(sound)) / RATE
    sound *= np.maximum(0, np.sin(2 * np.pi * 2.5 * t)) * (t % 2 < 1.4)
    return sound / np.sqrt(np.mean(sound**2)) * 0.05


def recorded(sound: np.ndarray, direction: float, seed: int = 0, reverb_s: float = 0.35) -> np.ndarray:
    """By two microphones side by side, in a room, two metres away."""
    room, channels = RoomAcoustics(reverb_s=reverb_s), []
    for aside in (APART_M / 2, -APART_M / 2):
        place = SoundPlace.towards(direction, 2.0)
        taps = room.response(SoundPlace(place.x, place.y - aside, place.z), seed)
        channels.append(np.convolve(sound, taps)[: len(sound)])
    return np.stack(channels, axis=1)


def mixed(sound: np.ndarray, *, processed: bool = False) -> np.ndarray:
    mixer = ChannelMixer(sound.shape[1], RATE, processed=processed)
    blocks = [mixer.mixed(sound[at : at + 320].astype(np.float32)) for at in range(0, len(sound), 320)]
    return np.concatenate(blocks)


def over_noise_db(made: np.ndarray, wanted: np.ndarray) -> float:
    """How much of it is what is wanted, over all the rest, in its second half; one factor and shift are free."""
    half = len(made) // 2
    made, wanted = made[half:].astype(float), wanted[half:].astype(float)
    best = -np.inf
    for lag in range(-40, 41):
        shifted = np.roll(wanted, lag)
        factor = float(made @ shifted / (shifted @ shifted))
        rest = made - factor * shifted
        best = max(best, 10 * np.log10(factor**2 * float(shifted @ shifted) / float(rest @ rest)))
    return float(best)


def noise(like: np.ndarray, level: float, seed: int = 9) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, level, like.shape)


def test_channels_of_opposite_phase_do_not_cancel_each_other() -> None:
    both = recorded(voice(), 0.7) + noise(recorded(voice(), 0.7), 0.0005)
    both[:, 1] *= -1
    loudness = float(np.std(both[:, 0]))
    assert np.std(both.mean(axis=1)) < 0.6 * loudness, "this recording does not show the loss"
    assert np.std(mixed(both)[RATE:]) > 0.9 * loudness


@pytest.mark.parametrize("direction", [-1.2, 0.0, 0.9])
def test_two_noisy_channels_are_better_than_the_first_and_than_their_mean(direction: float) -> None:
    clean = recorded(voice(), direction, reverb_s=0.0)
    both = clean + noise(clean, 0.4 * float(np.std(clean)))
    made = over_noise_db(mixed(both), clean[:, 0])
    assert made > over_noise_db(both[:, 0], clean[:, 0]) + 2.0
    assert made > over_noise_db(both.mean(axis=1), clean[:, 0]) - 0.1


@pytest.mark.parametrize("bad", [0, 1])
def test_a_noisy_channel_hardly_counts(bad: int) -> None:
    clean = recorded(voice(), 0.4)
    both = clean + noise(clean, 0.05 * float(np.std(clean)))
    both[:, bad] += noise(both[:, bad], 2.0 * float(np.std(clean)), seed=4)
    assert over_noise_db(mixed(both), clean[:, 1 - bad]) > over_noise_db(both[:, 1 - bad], clean[:, 1 - bad]) - 3
    assert over_noise_db(mixed(both), clean[:, 1 - bad]) > over_noise_db(both.mean(axis=1), clean[:, 1 - bad]) + 6


@pytest.mark.parametrize("silent", [0, 1])
@pytest.mark.parametrize("processed", [False, True])
def test_a_silent_channel_takes_nothing_away(silent: int, processed: bool) -> None:
    both = recorded(voice(), 0.2)
    both[:, silent] = 0.0
    heard = both[:, 1 - silent]
    assert np.std(mixed(both, processed=processed)[RATE:]) == pytest.approx(float(np.std(heard[RATE:])), rel=0.05)


def test_of_a_processed_microphone_the_first_channel_is_heard_as_it_is() -> None:
    both = recorded(voice(), 0.2) + noise(recorded(voice(), 0.2), 0.0003)
    both[:, 1] = noise(both[:, 1], 0.3)  # a raw microphone, much louder
    assert mixed(both, processed=True) == pytest.approx(both[:, 0], abs=1e-6)


def test_once_it_was_heard_the_first_channel_stays_also_when_its_noise_suppression_makes_it_silent() -> None:
    both = recorded(voice(), 0.2) + noise(recorded(voice(), 0.2), 0.0003)
    both[2 * RATE :, 0] = 0.0
    assert not mixed(both, processed=True)[2 * RATE + 320 :].any()


def test_the_same_in_both_channels_comes_out_unchanged_and_late() -> None:
    same = np.repeat(voice(2.0)[:, None], 2, axis=1)
    late = ChannelMixer(2, RATE).late
    assert late == 16
    assert mixed(same)[late:] == pytest.approx(same[:-late, 0], abs=1e-4)


def test_one_channel_is_left_alone_and_nothing_of_nothing_is_nothing() -> None:
    sound = voice(0.2)
    assert mixed(sound[:, None]) == pytest.approx(sound, abs=1e-7)
    assert len(ChannelMixer(2, RATE).mixed(np.zeros((0, 2), np.float32))) == 0
