"""Files of llama.cpp (GGUF): metadata and tensors, read and written. Quantised tensors are read as float32.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reachy_mind.errors import MindError
from reachy_mind.storage.files import write_atomically

Floats = NDArray[np.float32]
Blocks = NDArray[np.uint8]
"""One row of bytes for each block of values."""

MAGIC, VERSION, ALIGNMENT = b"GGUF", 3, 32
UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
HINT = "the weights of a language model as llama.cpp reads them, such as those of reachy-mind models pull chat"


class GgufError(MindError):
    """The file is no GGUF file, has tensors in a format that can't be read, or can't be written."""

    code = "GGUF_ERROR"


@dataclass(frozen=True)
class StoredTensor:
    """Where a tensor is in the file."""

    shape: tuple[int, ...]
    kind: int
    offset: int


class GgufFile:
    """A file that is read. Raises GgufError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                self._content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise GgufError(f"{path} can't be read: {error}", hint=HINT) from error
        if self._content[:4] != MAGIC:
            raise GgufError(f"{path} is no GGUF file", hint=HINT)
        self._at = 4
        try:
            self._read_header()
        except (struct.error, KeyError, UnicodeDecodeError) as error:
            raise GgufError(f"{path} is damaged: {error!r}", hint="reachy-mind models verify") from error

    def _read_header(self) -> None:
        self._scalar("I")
        tensors, keys = self._scalar("Q"), self._scalar("Q")
        self.metadata: dict[str, Any] = {}
        for _ in range(keys):
            name = self._string()
            self.metadata[name] = self._value(self._scalar("I"))
        self.tensors: dict[str, StoredTensor] = {}
        for _ in range(tensors):
            name = self._string()
            shape = tuple(self._scalar("Q") for _ in range(self._scalar("I")))[::-1]
            self.tensors[name] = StoredTensor(shape, self._scalar("I"), self._scalar("Q"))
        alignment = int(self.metadata.get("general.alignment", ALIGNMENT))
        self._data = -(-self._at // alignment) * alignment

    def tensor(self, name: str) -> Floats:
        """A tensor as numbers; rows come first. Raises GgufError."""
        if name not in self.tensors:
            raise GgufError(f"{self.path.name} has no tensor {name}", hint=HINT)
        stored = self.tensors[name]
        if stored.kind not in _KINDS:
            raise GgufError(
                f"{name} is in format {stored.kind}, which can't be read", hint="F16, Q8_0, Q4_0, Q4_1, Q4_K_M can"
            )
        values, size, read = _KINDS[stored.kind]
        count = int(np.prod(stored.shape)) // values
        raw = np.frombuffer(self._content, np.uint8, count * size, self._data + stored.offset)
        return read(raw.reshape(count, size)).reshape(stored.shape)

    def _scalar(self, kind: str) -> Any:
        (value,) = struct.unpack_from(f"<{kind}", self._content, self._at)
        self._at += struct.calcsize(f"<{kind}")
        return value

    def _string(self) -> str:
        size = int(self._scalar("Q"))
        text = self._content[self._at : self._at + size].decode()
        self._at += size
        return text

    def _value(self, kind: int) -> Any:
        if kind == STRING:
            return self._string()
        if kind == ARRAY:
            of, count = self._scalar("I"), self._scalar("Q")
            return [self._value(of) for _ in range(count)]
        return self._scalar(_SCALARS[kind])


def write_gguf(path: Path, metadata: Mapping[str, Any], tensors: Mapping[str, Floats]) -> None:
    """Write a file with tensors as float32. Raises GgufError when it can't be written."""
    head = bytearray(MAGIC + struct.pack("<IQQ", VERSION, len(tensors), len(metadata)))
    for name, value in metadata.items():
        kind, packed = _packed(value)
        head += _packed_string(name) + struct.pack("<I", kind) + packed
    body = bytearray()
    for name, tensor in tensors.items():
        shape = tensor.shape[::-1]
        head += _packed_string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(body))
        body += np.ascontiguousarray(tensor, np.float32).tobytes()
        body += bytes(-len(body) % ALIGNMENT)
    try:
        write_atomically(path, bytes(head + bytes(-len(head) % ALIGNMENT) + body), mode=0o644)
    except OSError as error:
        raise GgufError(f"{path} can't be written: {error}", hint="choose another folder") from error


def _packed(value: Any) -> tuple[int, bytes]:
    match value:
        case bool():
            return BOOL, struct.pack("<?", value)
        case int():
            return UINT32, struct.pack("<I", value)
        case float():
            return FLOAT32, struct.pack("<f", value)
        case str():
            return STRING, _packed_string(value)
        case list():
            kinds = [_packed(each) for each in value]
            return ARRAY, struct.pack("<IQ", kinds[0][0], len(kinds)) + b"".join(packed for _, packed in kinds)
        case _:
            raise TypeError(f"{type(value).__name__} can't be written")


def _packed_string(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _halves(blocks: Blocks, at: int) -> Floats:
    """A number in half precision of each block, as a column."""
    return blocks[:, at : at + 2].copy().view(np.float16).astype(np.float32)


def _nibbles(packed: Blocks) -> Blocks:
    """The low halves of bytes, then the high ones."""
    return np.concatenate([packed & 15, packed >> 4], axis=-1)


def _f32(blocks: Blocks) -> Floats:
    return blocks.view(np.float32)


def _f16(blocks: Blocks) -> Floats:
    return blocks.view(np.float16).astype(np.float32)


def _q4_0(blocks: Blocks) -> Floats:
    return _halves(blocks, 0) * (_nibbles(blocks[:, 2:]).astype(np.float32) - 8)


def _q4_1(blocks: Blocks) -> Floats:
    return _halves(blocks, 0) * _nibbles(blocks[:, 4:]) + _halves(blocks, 2)


def _q5_0(blocks: Blocks) -> Floats:
    high = np.unpackbits(blocks[:, 2:6], axis=1, bitorder="little")
    return _halves(blocks, 0) * ((_nibbles(blocks[:, 6:]) | high << 4).astype(np.float32) - 16)


def _q8_0(blocks: Blocks) -> Floats:
    return _halves(blocks, 0) * blocks[:, 2:].view(np.int8)


def _q4_k(blocks: Blocks) -> Floats:
    """Eight runs of 32 values, each with a scale and a least value of six bits."""
    packed = blocks[:, 4:16]
    low, middle, high = packed[:, 0:4], packed[:, 4:8], packed[:, 8:12]
    scales = np.concatenate([low & 63, (high & 15) | (low >> 6 << 4)], axis=1)
    least = np.concatenate([middle & 63, (high >> 4) | (middle >> 6 << 4)], axis=1)
    values = _nibbles(blocks[:, 16:].reshape(-1, 4, 32)).reshape(-1, 8, 32)
    scaled = (_halves(blocks, 0) * scales)[:, :, None] * values
    return np.asarray(scaled - (_halves(blocks, 2) * least)[:, :, None], np.float32)


def _q6_k(blocks: Blocks) -> Floats:
    """Sixteen runs of 16 values, each with a scale; four bits and two bits of a value are apart."""
    low = _nibbles(blocks[:, :128].reshape(-1, 2, 64)).reshape(-1, 2, 4, 32)
    packed = blocks[:, 128:192].reshape(-1, 2, 1, 32)
    high = packed >> np.array([0, 2, 4, 6], np.uint8)[:, None] & 3
    values = (low | high << 4).astype(np.float32) - 32
    scales = blocks[:, 192:208].view(np.int8).astype(np.float32) * _halves(blocks, 208)
    return values.reshape(-1, 16, 16) * scales[:, :, None]


_KINDS: dict[int, tuple[int, int, Callable[[Blocks], Floats]]] = {
    0: (1, 4, _f32),
    1: (1, 2, _f16),
    2: (32, 18, _q4_0),
    3: (32, 20, _q4_1),
    6: (32, 22, _q5_0),
    8: (32, 34, _q8_0),
    12: (256, 144, _q4_k),
    14: (256, 210, _q6_k),
}
"""By the number of a format: values and bytes of a block, and how a block is read."""
