"""Values on the wire: what is encoded comes back, and nothing malformed is taken."""

from __future__ import annotations

import contextlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reachy_mind.workshop.jail import codec, frames

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(max_size=40),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=20,
)


@given(plain)
def test_values_come_back(value: object) -> None:
    assert codec.decode(*codec.encode(value)) == value


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int64", "float32", "float64"])
def test_arrays_come_back_writable(dtype: str) -> None:
    array = np.arange(24).reshape(2, 3, 4).astype(dtype)[:, ::-1]
    text, blob = codec.encode({"image": array, "none": np.zeros((0, 3)), "number": np.float32(1.5)})
    value = codec.decode(text, blob)
    assert value["image"].dtype == array.dtype and (value["image"] == array).all()
    value["image"][0, 0, 0] = 1
    assert value["none"].shape == (0, 3) and value["number"] == 1.5


@pytest.mark.parametrize("value", [{1: 2}, {"$bytes": [0, 1]}, {"$": 1, "$$x": 2}, (1, [2])])
def test_keys_and_sequences(value: object) -> None:
    assert codec.decode(*codec.encode(value)) == json.loads(json.dumps(value))


@pytest.mark.parametrize("value", [object(), {(1, 2): 3}, np.array([object()]), {"a": {1, 2}}])
def test_what_can_not_be_sent(value: object) -> None:
    with pytest.raises(codec.CodecError):
        codec.encode(value)


def test_a_value_that_contains_itself_can_not_be_sent() -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(codec.CodecError, match="nested"):
        codec.encode(value)


@pytest.mark.parametrize(
    "plain_value",
    [
        {"$bytes": [0, 17]},
        {"$bytes": [-1, 2]},
        {"$bytes": [0.0, 2]},
        {"$bytes": [True, 2]},
        {"$bytes": [0]},
        {"$bytes": "ab"},
        {"$array": ["|O", [1], 0, 8]},
        {"$array": ["|V8", [1], 0, 8]},
        {"$array": ["<f8", [3], 0, 16]},
        {"$array": ["<f8", [-1], 0, 8]},
        {"$array": ["<f8", [2**40, 0], 0, 0]},
        {"$array": ["<f8", [1] * 20, 0, 8]},
        {"$array": ["<f8", 1, 0, 8]},
        {"$array": [["<f8"], [1], 0, 8]},
        {"$array": ["<f8", [1], 12, 8]},
        {"$unknown": 1},
        [{"$bytes": [0, 12]}, {"$bytes": [0, 12]}],
    ],
)
def test_malformed_references(plain_value: object) -> None:
    with pytest.raises(codec.CodecError):
        codec.decode(json.dumps(plain_value).encode(), bytearray(16))


@pytest.mark.parametrize("text", [b"", b"{", b"\xff\xff", b"[" * 5000, b"[" + b"1," * 200_000 + b"1]", b"1" * 10_000])
def test_texts_that_are_no_messages(text: bytes) -> None:
    with pytest.raises(codec.CodecError):
        codec.decode(text)


@given(st.binary(max_size=300), st.binary(max_size=64))
def test_no_bytes_raise_anything_else(text: bytes, blob: bytes) -> None:
    with contextlib.suppress(codec.CodecError):
        codec.decode(text, bytearray(blob))


def test_frames_have_limits() -> None:
    packed = frames.pack(b"{}", b"abc")
    assert frames.lengths(packed[:8]) == (2, 3) and packed[8:] == b"{}abc"
    assert frames.cost(2, 3) == frames.MIN_COST and frames.cost(5000, 1) == 5009
    for lengths in ((1, 0), (frames.MAX_TEXT + 1, 0), (2, frames.MAX_BLOB + 1), (2**32 - 1, 2**32 - 1)):
        with pytest.raises(frames.FrameError):
            frames.lengths(frames.HEADER.pack(*lengths))
    with pytest.raises(frames.FrameError):
        frames.pack(bytes(frames.MAX_TEXT + 1))
