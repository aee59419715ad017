"""Sound in the simulator, on virtual time: levels, delays, echoes and directions of signals whose truth is known."""

from __future__ import annotations

import io
import math
import wave
from dataclasses import replace

import numpy as np
import pytest

from reachy_mind.body import wav
from reachy_mind.body.pose import Pose
from reachy_mind.body.wav import RATE_HZ, Samples
from reachy_mind.errors import InvalidParameter
from reachy_mind.sim.convolution import BLOCK, Convolver
from reachy_mind.sim.playback import HOLD_BLOCKS, LiveSound, SoundClip, read_clip
from reachy_mind.sim.room_acoustics import EAR, SPEAKER, SPEED_OF_SOUND, RoomAcoustics, SoundPlace
from reachy_mind.sim.sound_mixer import MAX_SOURCES, Acoustics, SoundMixer

DRY = Acoustics(room=RoomAcoustics(reverb_s=0.0), noise_db=None)
LEFT, AHEAD, RIGHT, BEHIND = math.pi / 2, 0.0, -math.pi / 2, math.pi


def noise(seconds: float, level: float = 0.1, seed: int = 7) -> Samples:
    """Up to 6 kHz: above, the filter that puts a sound between two samples lets a little less through."""
    spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(round(seconds * RATE_HZ)))
    spectrum[len(spectrum) * 3 // 4 :] = 0
    drawn = np.fft.irfft(spectrum)
    return (drawn * level / np.sqrt(np.mean(drawn**2))).astype(np.float32)


def silent_room(acoustics: Acoustics = DRY) -> SoundMixer:
    sound = SoundMixer()
    sound.set_acoustics(acoustics)
    return sound


def heard(sound: SoundMixer, seconds: float, pose: Pose | None = None) -> Samples:
    """What the microphone records in the next seconds."""
    head = (pose or Pose()).head_matrix()
    blocks = round(seconds * RATE_HZ / BLOCK)
    with sound.microphone.subscribe():
        for _ in range(blocks):
            sound.tick(lambda: head)
    return wav.from_pcm(b"".join(list(sound.microphone_tape)[-blocks:]))


def level_db(samples: Samples) -> float:
    return 10 * math.log10(float(np.mean(np.square(samples.astype(float)))))


def lag(sent: Samples, received: Samples) -> float:
    """By how many samples `received` is later, to a quarter: the peak of the correlation and its neighbours."""
    size = 2 * max(len(sent), len(received))
    matched = np.fft.irfft(np.fft.rfft(received, size) * np.conj(np.fft.rfft(sent, size)))
    top = int(np.argmax(matched[: len(received)]))
    before, at, after = matched[top - 1], matched[top], matched[top + 1]
    return top + 0.5 * float((before - after) / (before - 2 * at + after))


@pytest.mark.parametrize(("nearer", "farther"), [(0.5, 1.0), (1.0, 2.0)])
def test_twice_as_far_is_six_decibels_less(nearer: float, farther: float) -> None:
    levels = []
    for distance in (nearer, farther):
        sound = silent_room()
        sound.add(SoundClip(noise(1.0), 0), SoundPlace.towards(LEFT, distance))
        levels.append(level_db(heard(sound, 0.9)))
    assert levels[0] - levels[1] == pytest.approx(6.02, abs=0.1)


def test_a_metre_away_it_is_as_loud_as_it_was_made() -> None:
    sound = silent_room()
    sound.add(SoundClip(noise(1.0, 0.1), 0), SoundPlace.towards(AHEAD, 1.0), gain_db=-6.0)
    assert level_db(heard(sound, 0.96)) == pytest.approx(-20 - 6, abs=0.2)


@pytest.mark.parametrize("distance", [0.3, 1.0, 2.3])
def test_the_delay_is_the_way_through_the_air(distance: float) -> None:
    sound = silent_room()
    sent = noise(0.5)
    sound.add(SoundClip(sent, 0), SoundPlace.towards(RIGHT, distance))
    assert lag(sent, heard(sound, 0.6)) == pytest.approx(distance / SPEED_OF_SOUND * RATE_HZ, abs=0.25)


def test_an_echo_makes_it_louder_longer_and_no_earlier() -> None:
    sent, place = noise(0.2), SoundPlace.towards(AHEAD, 1.5)
    dry, wet = silent_room(), silent_room(replace(DRY, room=RoomAcoustics(reverb_s=0.4)))
    for sound in (dry, wet):
        sound.add(SoundClip(sent, 0), place)
    plain, echoing = heard(dry, 0.6), heard(wet, 0.6)
    assert level_db(echoing) > level_db(plain) + 1
    assert not plain[6400:].any() and level_db(echoing[4000:6400]) > -50
    assert lag(sent, echoing) == pytest.approx(lag(sent, plain), abs=0.2)


@pytest.mark.parametrize("reverb_s", [0.2, 0.5, 0.9])
def test_reverberation_takes_the_time_it_is_given(reverb_s: float) -> None:
    """Schroeder's backward integral falls from -5 to -35 dB in half the time it takes to fall by 60."""
    click = RoomAcoustics(reverb_s=reverb_s).response(SoundPlace.towards(1.0, 2.0), seed=3).astype(float)
    left = np.cumsum(click[::-1] ** 2)[::-1]
    fall_db = 10 * np.log10(left / left[0] + 1e-12)
    fell = (np.argmax(fall_db < -35) - np.argmax(fall_db < -5)) / RATE_HZ
    assert 2 * fell == pytest.approx(reverb_s, rel=0.2)


def test_the_first_echo_is_that_of_the_nearest_wall() -> None:
    """A source to the left, 0.5 m before the left wall: the mirror image behind the wall is 1 m farther."""
    room = RoomAcoustics(size=(20.0, 6.0, 20.0), reverb_s=0.8, foot_height=10.0)
    click = room.response(SoundPlace.towards(LEFT, 2.5), seed=0)
    direct, mirrored = (round(way / SPEED_OF_SOUND * RATE_HZ) for way in (2.5, 3.5))
    between = np.abs(click[direct + 9 : mirrored - 9]).max()
    assert np.abs(click[mirrored - 1 : mirrored + 2]).max() > 10 * between


@pytest.mark.parametrize(
    ("direction", "reported"), [(LEFT, 0.0), (AHEAD, math.pi / 2), (RIGHT, math.pi), (BEHIND, math.pi / 2)]
)
def test_direction_as_the_robot_reports_it(direction: float, reported: float) -> None:
    sound = silent_room(Acoustics())
    sound.add(SoundClip(noise(1.0), 0), SoundPlace.towards(direction, 1.5))
    heard(sound, 0.4)
    reading = sound.hearing.reading
    assert reading.speech_detected and reading.angle == pytest.approx(reported, abs=math.radians(7))


def test_direction_is_relative_to_the_head() -> None:
    """The head looks left, so what is at the robot's left is ahead of it; that is how look_at_sound finds it."""
    sound = silent_room()
    sound.add(SoundClip(noise(1.0), 0), SoundPlace.towards(LEFT, 1.5))
    heard(sound, 0.4, Pose(yaw=LEFT))
    assert sound.hearing.reading.angle == pytest.approx(math.pi / 2, abs=math.radians(7))


def test_direction_follows_the_louder_and_stays_in_silence() -> None:
    sound = silent_room()
    sound.add(SoundClip(noise(0.5, seed=1), 0), SoundPlace.towards(LEFT, 2.0))
    sound.add(SoundClip(noise(0.5, seed=2), 0), SoundPlace.towards(RIGHT, 0.5))
    heard(sound, 0.4)
    assert sound.hearing.reading.angle > math.radians(160)
    heard(sound, 1.0)
    assert not sound.hearing.reading.speech_detected and sound.hearing.reading.angle > math.radians(160)


def test_what_drowns_in_noise_has_no_direction() -> None:
    sound = silent_room(Acoustics(noise_db=-20.0))
    sound.add(SoundClip(noise(1.0, 0.05), 0), SoundPlace.towards(LEFT, 2.0))
    heard(sound, 0.8)
    assert not sound.hearing.reading.speech_detected


def test_noise_is_as_loud_as_asked() -> None:
    assert level_db(heard(silent_room(replace(DRY, noise_db=-40.0)), 4.0)) == pytest.approx(-40, abs=0.7)
    assert not heard(silent_room(), 0.5).any()


@pytest.mark.parametrize("echo_db", [0.0, -12.0])
def test_the_robot_hears_itself_at_the_right_level_and_delay(echo_db: float) -> None:
    sound = silent_room(replace(DRY, echo_db=echo_db, echo_delay_s=0.05))
    voice, sent = LiveSound(), noise(0.6)
    sound.voices.append(voice)
    voice.feed(sent)
    echo = heard(sound, 0.8)
    way = math.dist(EAR, SPEAKER) / SPEED_OF_SOUND
    assert lag(sent, echo) == pytest.approx((0.05 + way) * RATE_HZ, abs=0.25)
    assert level_db(echo) == pytest.approx(level_db(sent) + 10 * math.log10(0.6 / 0.8) + echo_db, abs=0.2)
    assert not sound.hearing.reading.speech_detected, "its own voice has no direction"


def test_the_speaker_is_recorded_with_its_position() -> None:
    sound = silent_room()
    voice, sent = LiveSound(), noise(0.1)
    sound.voices.append(voice)
    voice.feed(sent)
    heard(sound, 0.2)
    played = wav.from_pcm(b"".join(sound.speaker_tape))
    assert voice.played == len(sent) and voice.queued == 0
    assert np.abs(played[: len(sent)] - sent).max() < 1e-4 and not played[len(sent) :].any()


def test_a_voice_that_comes_block_by_block_waits_until_there_is_enough() -> None:
    sound, voice, sent = silent_room(), LiveSound(), noise(0.1)
    sound.voices.append(voice)
    for begin in range(0, len(sent), BLOCK):
        voice.feed(sent[begin : begin + BLOCK])
        heard(sound, BLOCK / RATE_HZ)
    heard(sound, 0.1)
    played = wav.from_pcm(b"".join(sound.speaker_tape))[HOLD_BLOCKS * BLOCK :]
    assert np.abs(played[: len(sent)] - sent).max() < 1e-4 and not played[len(sent) :].any()


def test_half_the_volume_is_half_as_loud_and_flush_is_silence() -> None:
    sound = silent_room()
    voice = LiveSound()
    sound.voices.append(voice)
    voice.feed(noise(5.0))
    loud = heard(sound, 0.5)[3200:]
    sound.volume = 50
    heard(sound, 0.1)
    assert level_db(heard(sound, 0.5)) == pytest.approx(level_db(loud) - 6, abs=0.3)
    played = voice.played
    assert voice.flush() == 5 * RATE_HZ - played
    heard(sound, 0.1)
    assert not heard(sound, 0.1).any() and voice.played == played


def test_several_sounds_add_up_and_go_when_they_are_over() -> None:
    one, other = noise(0.3, seed=1), noise(0.5, seed=2)
    places = SoundPlace.towards(LEFT, 1.0), SoundPlace.towards(RIGHT, 2.0)
    parts = []
    for chosen in ((0,), (1,), (0, 1)):
        sound = silent_room()
        for index in chosen:
            sound.add(SoundClip((one, other)[index], 0), places[index])
        parts.append(heard(sound, 0.4))
        heard(sound, 0.6)
        assert not sound.sources
    assert np.abs(parts[0] + parts[1] - parts[2]).max() < 1e-4


def test_the_same_seed_makes_the_same_sound_and_another_one_does_not() -> None:
    def record(seed: int) -> Samples:
        sound = silent_room(Acoustics(seed=seed))
        sound.add(SoundClip(noise(0.2), 0), SoundPlace.towards(1.0, 1.0))
        return heard(sound, 0.4)

    assert np.array_equal(record(5), record(5))
    assert not np.array_equal(record(5), record(6))


def test_a_sound_starts_at_its_sample_and_may_repeat() -> None:
    sound = silent_room()
    sent = noise(0.05)
    sound.add(SoundClip(sent, start=1000, loop=True), SoundPlace.towards(AHEAD, 1.0))
    recorded = heard(sound, 0.3)
    arrives = 1000 + round(RATE_HZ / SPEED_OF_SOUND)
    assert not recorded[: arrives - 10].any()
    arrives += 10  # the filter between samples rings a little where the sound begins
    assert np.abs(recorded[arrives : arrives + 800] - recorded[arrives + 800 : arrives + 1600]).max() < 1e-3
    assert sound.sources


def test_moving_a_sound_does_not_click() -> None:
    sound = silent_room()
    time = np.arange(2 * RATE_HZ) / RATE_HZ
    tone = (0.3 * np.sin(2 * np.pi * 200 * time)).astype(np.float32)
    source = sound.add(SoundClip(tone, 0), SoundPlace.towards(LEFT, 1.0))
    calm = np.abs(np.diff(heard(sound, 0.5)[1000:])).max()
    steps = []
    for distance in (1.02, 1.05, 1.1):
        sound.move(source, SoundPlace.towards(LEFT, distance))
        steps.append(np.abs(np.diff(heard(sound, 0.1))).max())
    assert max(steps) < 1.3 * calm


def test_the_convolver_is_a_convolution_whatever_its_length() -> None:
    taps, sent = noise(0.07), noise(0.4, seed=1)
    filtered = Convolver(taps)
    out = np.concatenate([filtered(sent[at : at + BLOCK]) for at in range(0, len(sent), BLOCK)])
    assert np.abs(out - np.convolve(sent, taps)[: len(out)]).max() < 1e-4


def test_a_filter_can_become_longer_and_shorter_while_sound_runs() -> None:
    taps, longer, sent = noise(0.03), noise(0.11, seed=3), noise(1.0, seed=1)
    blocks = [sent[at : at + BLOCK] for at in range(0, len(sent), BLOCK)]
    filtered = Convolver(taps)
    out = [filtered(block) for block in blocks[:10]]
    filtered.retune(longer)
    out += [filtered(block) for block in blocks[10:30]]
    filtered.retune(taps)
    out += [filtered(block) for block in blocks[30:]]
    for taken, used in ((slice(12, 30), longer), (slice(32, 50), taps)):
        truth = np.convolve(sent, used)[: len(sent)].reshape(-1, BLOCK)[taken]
        # A longer filter knows only the past that the shorter one had kept: two blocks.
        settled = slice(4, None) if used is longer else slice(None)
        assert np.abs(np.array(out[taken]) - truth)[settled].max() < 1e-4


def test_live_blocks_that_come_just_in_time_leave_no_gaps() -> None:
    live, sent = LiveSound(), noise(0.2)
    out = []
    for at in range(0, len(sent), BLOCK):
        live.feed(sent[at : at + BLOCK])
        out.append(live.take(at))
    live.end()
    while not live.over(0):
        out.append(live.take(0))
    assert np.array_equal(np.concatenate(out)[HOLD_BLOCKS * BLOCK :][: len(sent)], sent)


def test_what_can_not_be_is_refused_with_a_way_out() -> None:
    sound = silent_room()
    with pytest.raises(InvalidParameter, match="outside the room") as refused:
        sound.add(SoundClip(noise(0.1), 0), SoundPlace.towards(LEFT, 9.0))
    assert "6 x 5 m" in refused.value.hint
    for _ in range(MAX_SOURCES):
        sound.add(SoundClip(noise(0.1), 0), SoundPlace.towards(LEFT, 1.0))
    with pytest.raises(InvalidParameter, match="already"):
        sound.add(SoundClip(noise(0.1), 0), SoundPlace.towards(LEFT, 1.0))


@pytest.mark.parametrize("foot_height", [0.4, 0.8])
def test_the_floor_echoes_from_where_the_robot_stands_above_it(foot_height: float) -> None:
    """Its loudspeaker's mirror image below the floor."""
    room = RoomAcoustics(foot_height=foot_height)
    click = room.response(SoundPlace(*SPEAKER), seed=0)
    way = EAR[2] + SPEAKER[2] + 2 * foot_height
    at = round(way / SPEED_OF_SOUND * RATE_HZ)
    assert np.linalg.norm(click[at - 8 : at + 9]) == pytest.approx(0.87 / way, rel=0.1)


def test_a_reset_keeps_the_robot_on_its_table_or_floor() -> None:
    sound = SoundMixer(foot_height=0.0)
    sound.set_acoustics(Acoustics(room=RoomAcoustics(reverb_s=1.0, foot_height=0.0)))
    sound.reset()
    assert sound.acoustics.room == RoomAcoustics(foot_height=0.0)
    with pytest.raises(InvalidParameter, match="outside"):
        sound.add(SoundClip(noise(0.1), 0), SoundPlace.towards(AHEAD, 1.0, height=-0.1))


def file(samples: Samples, rate: int, width: int, channels: int) -> bytes:
    out = io.BytesIO()
    whole = np.repeat(np.rint(samples * (2 ** (8 * width - 1) - 1)).astype("<i8"), channels)
    if width == 1:
        whole += 128
    with wave.open(out, "wb") as written:
        written.setframerate(rate)
        written.setsampwidth(width)
        written.setnchannels(channels)
        written.writeframes(whole.view(np.uint8).reshape(-1, 8)[:, :width].tobytes())
    return out.getvalue()


@pytest.mark.parametrize(("rate", "width", "channels"), [(16000, 2, 1), (48000, 3, 2), (44100, 4, 1), (8000, 1, 2)])
def test_wav_files_of_all_kinds_become_the_same_sound(rate: int, width: int, channels: int) -> None:
    def tone(at: int) -> Samples:
        time = np.arange(at) / at
        return (0.5 * np.sin(2 * np.pi * 440 * time) * np.hanning(at)).astype(np.float32)

    read = read_clip(file(tone(rate), rate, width, channels))
    assert len(read) == RATE_HZ
    assert np.abs(read - tone(RATE_HZ)).max() < (0.02 if width == 1 else 0.002)


@pytest.mark.parametrize("data", [b"", b"RIFF", b"not a sound at all", file(noise(0.1), 16000, 2, 1)[:44]])
def test_what_is_no_wav_file_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidParameter):
        read_clip(data)
