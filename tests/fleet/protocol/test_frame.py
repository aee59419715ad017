"""Frames: whatever arrives is a frame or a protocol error, and what is written is read back the same."""

from __future__ import annotations

import json
import math
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.frame import MAX_NUMBER, Frame, decode, encode, new_frame
from reachy_mind.fleet.protocol.limits import MAX_DEPTH, MAX_TEXT_BYTES
from tests.fleet.protocol.frame_strategies import IDS, JSON, NUMBERS, TEXTS, TYPES

FRAMES = st.builds(
    Frame,
    id=IDS,
    type=TYPES,
    ts=NUMBERS,
    seq=st.none() | st.integers(1, MAX_NUMBER),
    skip=NUMBERS,
    prio=st.integers(0, 2),
    ack=st.none() | NUMBERS,
    ack0=st.none() | NUMBERS,
    exp=st.none() | NUMBERS,
    re=st.none() | IDS,
    p=st.dictionaries(TEXTS, JSON, max_size=4),
)
FIELDS = {"v": 1, "id": "a", "type": "button.pressed", "seq": 1}


def text_of(**fields: Any) -> str:
    return json.dumps(FIELDS | fields)


def code_of(text: str) -> CloseCode:
    with pytest.raises(ProtocolViolation) as refused:
        decode(text)
    assert len(refused.value.reason.encode("utf-8", "replace")) <= 360, "a close frame has room for little"
    return refused.value.code


@settings(deadline=None)
@given(FRAMES)
def test_what_is_written_is_read_back(frame: Frame) -> None:
    assert decode(encode(frame)) == frame


@settings(deadline=None)
@given(FRAMES, st.data())
def test_a_frame_with_any_damage_is_refused(frame: Frame, data: st.DataObject) -> None:
    """One letter is another one, or the end is missing. What no longer begins with a checksum is no frame of ours."""
    text = encode(frame)
    place = data.draw(st.integers(len('{"c":"00000000",'), len(text) - 1))
    other = chr((ord(text[place]) + data.draw(st.integers(1, 100))) % 0xD7FF)
    for damaged in (text[:place] + other + text[place + 1 :], text[:place]):
        assert code_of(damaged) == CloseCode.DAMAGED


@settings(deadline=None, max_examples=200)
@given(st.one_of(st.text(max_size=200), JSON.map(json.dumps), st.dictionaries(TEXTS, JSON).map(json.dumps)))
def test_any_text_is_a_frame_or_a_protocol_error(text: str) -> None:
    try:
        frame = decode(text)
    except ProtocolViolation:
        return
    assert decode(encode(frame)) == frame


@settings(deadline=None, max_examples=200)
@given(st.sampled_from([*Frame.model_fields, "c", "more"]), JSON | st.floats())
def test_any_value_of_any_field_is_taken_or_a_protocol_error(field: str, value: Any) -> None:
    try:
        frame = decode(text_of(**{field: value}))
    except ProtocolViolation:
        return
    assert decode(encode(frame)) == frame


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"v":1,"id":"a","type":"x"',
        '{"v":1,"id":"a","type":"x"} ,',
        text_of(v=2),
        text_of(id=""),
        text_of(id="a\n"),
        text_of(id="../a"),
        text_of(id="a" * 65),
        text_of(type="Button"),
        text_of(type="button..pressed"),
        text_of(type="button.pressed\n"),
        text_of(seq=0),
        text_of(seq=-1),
        text_of(seq=1.0),
        text_of(seq="1"),
        text_of(seq=True),
        text_of(seq=MAX_NUMBER + 1),
        text_of(skip=-1),
        text_of(prio=3),
        text_of(ack=-1),
        text_of(re=7),
        text_of(p=[]),
        text_of(p=None),
        text_of(p={"x": math.nan}),
        text_of(p={"x": math.inf}),
        '{"v":1,"id":"a","type":"x","p":{"x":1e999}}',
        '{"v":1,"id":"a","type":"x","p":{"x":[-1e400]}}',
        '{"v":1,"id":"a","type":"x","p":{"x":"\\ud800"}}',
        '{"v":1,"id":"a","type":"x","p":{"\\udc00":1}}',
        '{"v":1,"id":"a","type":"x","p":{"x":"\ud800"}}',
        '{"v":1,"id":"a","type":"x","p":{"x":' + "9" * 5000 + "}}",
        "\x00",
    ],
)
def test_what_is_not_a_frame_is_not_understood(text: str) -> None:
    assert code_of(text) == CloseCode.NOT_UNDERSTOOD


def test_a_field_that_is_given_twice_counts_once() -> None:
    frame = decode('{"v":1,"id":"a","type":"x","seq":1,"seq":2,"p":{"n":1,"n":2}}')
    assert (frame.seq, frame.p) == (2, {"n": 2})


@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_nesting_is_bounded_but_not_the_number_of_brackets(brackets: str) -> None:
    opening = '{"a":' if brackets == "{}" else "["
    deep = '{"v":1,"id":"a","type":"x","p":{"x":' + opening * 20_000 + "1" + brackets[1] * 20_000 + "}}"
    assert code_of(deep[: MAX_TEXT_BYTES - 1]) == CloseCode.NOT_UNDERSTOOD
    assert code_of('{"v":1,"id":"a","type":"x","p":{"x":' + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "}}")
    wide = {"x": [[]] * 1000, "text": "[" * 1000 + '\\"{{{'}
    assert decode(text_of(p=wide)).p == wide


def test_a_text_has_64_kib_in_utf_8() -> None:
    room = MAX_TEXT_BYTES - len(text_of(p={"x": ""}))
    assert len(decode(text_of(p={"x": "x" * room})).p["x"]) == room
    for letters in ("x" * (room + 1), "ü" * (room // 2 + 1)):
        text = json.dumps(FIELDS | {"p": {"x": letters}}, ensure_ascii=False)
        assert code_of(text) == CloseCode.TOO_LARGE
    with pytest.raises(ValueError, match="64 KiB"):
        encode(new_frame("x", {"x": "ü" * (MAX_TEXT_BYTES // 2)}))


def test_a_checksum_that_fits_is_no_excuse() -> None:
    rest = '"v":1,"id":"a","type":"x","p":{"x":Infinity}}'
    assert code_of(f'{{"c":"{zlib.crc32(rest.encode()):08x}",{rest}') == CloseCode.NOT_UNDERSTOOD


def test_a_frame_without_a_checksum_and_with_fields_of_a_newer_program_is_taken() -> None:
    frame = decode(text_of(later={"than": "us"}, p={"smile": "\U0001f600", "zero": "\x00"}))
    assert (frame.seq, frame.p) == (1, {"smile": "\U0001f600", "zero": "\x00"})
