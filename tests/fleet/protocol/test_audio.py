"""Binary frames: sound with its header."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reachy_mind.fleet.protocol.audio import MICROPHONE, SPEAKER, AudioFlags, AudioFrame
from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.limits import MAX_BINARY_BYTES

AUDIO = st.builds(
    AudioFrame,
    kind=st.sampled_from((MICROPHONE, SPEAKER)),
    flags=st.integers(0, 7).map(AudioFlags),
    stream=st.integers(0, (1 << 16) - 1),
    chunk=st.integers(0, (1 << 32) - 1),
    time_us=st.integers(0, (1 << 64) - 1),
    samples=st.binary(max_size=64),
)


@given(AUDIO)
def test_sound_is_read_back_with_its_header_of_16_bytes(frame: AudioFrame) -> None:
    data = frame.encode()
    assert len(data) == 16 + len(frame.samples)
    assert AudioFrame.decode(data) == frame


def test_the_header_is_as_described() -> None:
    frame = AudioFrame(SPEAKER, AudioFlags.BEGINS | AudioFlags.OPUS, 0x0102, 0x03040506, 0x0708, b"ab")
    assert frame.encode() == bytes.fromhex("02 05 0102 03040506 0000000000000708") + b"ab"


@given(st.binary(max_size=40))
def test_any_bytes_are_sound_or_a_protocol_error(data: bytes) -> None:
    try:
        frame = AudioFrame.decode(data)
    except ProtocolViolation:
        return
    assert len(data) >= 16 and frame.samples == data[16:] and frame.kind in (MICROPHONE, SPEAKER)


def test_flags_of_a_newer_program_are_left_out() -> None:
    assert AudioFrame.decode(bytes([MICROPHONE, 0xFF]) + bytes(14)).flags == AudioFlags(7)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", CloseCode.NOT_UNDERSTOOD),
        (bytes([MICROPHONE]) + bytes(14), CloseCode.NOT_UNDERSTOOD),
        (bytes([0]) + bytes(15), CloseCode.NOT_UNDERSTOOD),
        (bytes([3]) + bytes(15), CloseCode.NOT_UNDERSTOOD),
        (bytes([MICROPHONE]) + bytes(MAX_BINARY_BYTES), CloseCode.TOO_LARGE),
    ],
)
def test_what_is_no_sound_is_refused(data: bytes, code: CloseCode) -> None:
    with pytest.raises(ProtocolViolation) as refused:
        AudioFrame.decode(data)
    assert refused.value.code == code
