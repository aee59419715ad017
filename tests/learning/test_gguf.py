"""Files of llama.cpp: what was written is read, and quantised blocks are read as the format describes them."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.learning import gguf
from reachy_mind.learning.gguf import GgufError, GgufFile, write_gguf

RNG = np.random.default_rng(3)
HALF = struct.pack("<e", 0.5), struct.pack("<e", -1.25)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    metadata = {"general.name": "Ünit", "count": 3, "scale": 0.5, "yes": True, "words": ["a", "b"], "ids": [1, 2]}
    tensors = {"one": RNG.normal(size=(3, 5)).astype(np.float32), "two": np.arange(7, dtype=np.float32)}
    write_gguf(tmp_path / "a.gguf", metadata, tensors)
    read = GgufFile(tmp_path / "a.gguf")
    assert read.metadata == metadata and list(read.tensors) == ["one", "two"]
    assert all(np.array_equal(read.tensor(name), tensor) for name, tensor in tensors.items())


def test_what_is_no_such_file_or_is_cut_short_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.gguf"
    write_gguf(file, {"general.name": "x"}, {"one": np.ones(4, np.float32)})
    whole = file.read_bytes()
    for content in (b"", b"PK\3\4 zip", whole[:20], whole[: whole.index(b"one") + 1]):
        file.write_bytes(content)
        with pytest.raises(GgufError):
            GgufFile(file)
    file.write_bytes(whole)
    with pytest.raises(GgufError, match="no tensor"):
        GgufFile(file).tensor("two")
    (tmp_path / "folder").mkdir()
    with pytest.raises(GgufError, match="written"):
        write_gguf(tmp_path / "folder", {}, {})


def read_block(kind: int, block: bytes) -> list[float]:
    _, size, read = gguf._KINDS[kind]
    assert len(block) == size
    return [float(value) for value in read(np.frombuffer(block, np.uint8)[None]).ravel()]


def test_blocks_of_32_values() -> None:
    packed = bytes(RNG.integers(0, 256, 16, dtype=np.uint8))
    fours = [byte & 15 for byte in packed] + [byte >> 4 for byte in packed]
    assert read_block(2, HALF[0] + packed) == [0.5 * (four - 8) for four in fours]
    assert read_block(3, HALF[0] + HALF[1] + packed) == [0.5 * four - 1.25 for four in fours]
    high = 0b1010_0000_1111_0101_0011_1100_0001_1000
    fives = [four + (high >> place & 1) * 16 for place, four in enumerate(fours)]
    assert read_block(6, HALF[0] + struct.pack("<I", high) + packed) == [0.5 * (five - 16) for five in fives]
    eights = RNG.integers(-128, 128, 32, dtype=np.int8)
    assert read_block(8, HALF[0] + eights.tobytes()) == [0.5 * int(eight) for eight in eights]


def test_blocks_of_256_values_of_four_bits() -> None:
    scales, packed = (bytes(RNG.integers(0, 256, count, dtype=np.uint8)) for count in (12, 128))
    expected = []
    for run in range(8):
        if run < 4:
            scale, least = scales[run] & 63, scales[run + 4] & 63
        else:
            scale = scales[run + 4] & 15 | scales[run - 4] >> 6 << 4
            least = scales[run + 4] >> 4 | scales[run] >> 6 << 4
        part = packed[run // 2 * 32 : run // 2 * 32 + 32]
        expected += [0.5 * scale * (byte >> 4 if run % 2 else byte & 15) + 1.25 * least for byte in part]
    assert read_block(12, HALF[0] + HALF[1] + scales + packed) == expected


def test_blocks_of_256_values_of_six_bits() -> None:
    low, high = (bytes(RNG.integers(0, 256, count, dtype=np.uint8)) for count in (128, 64))
    scales = RNG.integers(-128, 128, 16, dtype=np.int8)
    expected = []
    for value in range(256):
        half, quarter, place = value // 128, value % 128 // 32, value % 32
        byte = low[half * 64 + quarter % 2 * 32 + place]
        four = byte >> 4 if quarter >= 2 else byte & 15
        two = high[half * 32 + place] >> 2 * quarter & 3
        expected.append(0.5 * int(scales[value // 16]) * ((four | two << 4) - 32))
    assert read_block(14, low + high + scales.tobytes() + HALF[0]) == expected
