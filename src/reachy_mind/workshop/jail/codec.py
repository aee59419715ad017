"""Values as JSON plus one blob: bytes and numpy arrays are references into the blob.

    bytes   {"$bytes": [offset, length]}
    array   {"$array": [dtype, shape, offset, length]}

A key that starts with "$" gets another "$". The decoder takes nothing on trust: depth, the number of values, types,
bounds and the sum of all references are limited, so that a small frame can't become a large value. A lone surrogate,
which can't be encoded, stored or printed, becomes "?".
"""

from __future__ import annotations

import json
import sys
from typing import Any

MAX_DEPTH = 64
MAX_VALUES = 100_000
"""Values in one frame. More are sent as an array."""
DTYPES = frozenset("|b1 |i1 |u1 <i2 <u2 <i4 <u4 <i8 <u8 <f2 <f4 <f8".split())
MAX_DIMENSIONS = 8
ALIGNMENT = 8
REFERENCE_VALUES = 9
"""A reference counts as so many values more: an array costs more than a number, even an empty one."""


class CodecError(ValueError):
    """A value can't be encoded, or a text is not the encoding of one."""


def encode(value: Any) -> tuple[bytes, bytearray]:
    """Return the JSON text and the blob of a value."""
    blob = bytearray()
    plain = _plain(value, blob, 0)
    try:
        return json.dumps(plain, separators=(",", ":")).encode(), blob
    except (TypeError, ValueError) as error:  # surrogates are escaped by json; what remains is a foreign type
        raise CodecError(str(error)) from error


def _plain(value: Any, blob: bytearray, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise CodecError(f"a value is nested deeper than {MAX_DEPTH} levels")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {_key(key): _plain(item, blob, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, blob, depth + 1) for item in value]
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"$bytes": _append(blob, bytes(value))}
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        return _plain(value.item(), blob, depth)
    if numpy is not None and isinstance(value, numpy.ndarray):
        return _array_reference(numpy.ascontiguousarray(value), list(value.shape), blob)
    raise CodecError(f"a value of type {type(value).__name__} can't be sent")


def _key(key: Any) -> str:
    if isinstance(key, str):
        return "$" + key if key.startswith("$") else key
    if isinstance(key, int):
        return json.dumps(key)
    raise CodecError(f"a key of type {type(key).__name__} can't be sent; use a string")


def _array_reference(array: Any, shape: list[int], blob: bytearray) -> dict[str, Any]:
    dtype = array.dtype.newbyteorder("<").str
    if dtype not in DTYPES:
        raise CodecError(f"an array of {array.dtype} can't be sent; use numbers")
    return {"$array": [dtype, shape, *_append(blob, array.astype(dtype, copy=False).tobytes())]}


def _append(blob: bytearray, data: bytes) -> list[int]:
    blob.extend(bytes(-len(blob) % ALIGNMENT))
    offset = len(blob)
    blob.extend(data)
    return [offset, len(data)]


def decode(text: bytes | bytearray, blob: bytes | bytearray = b"") -> Any:
    """Return the value of a JSON text and its blob. Arrays are views of the blob; a bytearray makes them writable."""
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CodecError(f"a frame is not JSON: {error}") from error
    return _Decoder(blob).value(plain, 0)


class _Decoder:
    def __init__(self, blob: bytes | bytearray) -> None:
        self._blob = blob
        self._referenced = self._values = 0

    def value(self, plain: Any, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise CodecError(f"a value is nested deeper than {MAX_DEPTH} levels")
        self._values += 1
        if self._values > MAX_VALUES:
            raise CodecError(f"a frame has more than {MAX_VALUES} values")
        if isinstance(plain, list):
            return [self.value(item, depth + 1) for item in plain]
        if isinstance(plain, str):
            return _encodable(plain)
        if not isinstance(plain, dict):
            return plain
        if len(plain) == 1:
            ((key, item),) = plain.items()
            if key == "$bytes":
                return self._bytes(item)
            if key == "$array":
                return self._array(item)
        return {_unescaped(key): self.value(item, depth + 1) for key, item in plain.items()}

    def _bytes(self, reference: Any) -> bytes:
        if not isinstance(reference, list) or len(reference) != 2:
            raise CodecError("a reference to bytes is malformed")
        offset, length = self._span(*reference)
        return bytes(self._blob[offset : offset + length])

    def _array(self, reference: Any) -> Any:
        if not isinstance(reference, list) or len(reference) != 4:
            raise CodecError("a reference to an array is malformed")
        dtype, shape, offset, length = reference
        if not isinstance(dtype, str) or dtype not in DTYPES:
            raise CodecError("an array has a type that is not allowed")
        if not isinstance(shape, list) or len(shape) > MAX_DIMENSIONS or not all(_is_size(size) for size in shape):
            raise CodecError("an array has a malformed shape")
        offset, length = self._span(offset, length)
        count = 1
        for size in shape:
            count *= size
        if count * int(dtype[2:]) != length:
            raise CodecError("the shape of an array does not fit its length")
        import numpy  # noqa: PLC0415  (only where arrays are sent)

        try:
            if not count:
                return numpy.zeros(shape, dtype)
            return numpy.frombuffer(self._blob, dtype, count, offset).reshape(shape)
        except ValueError as error:  # numpy multiplies the other sizes of an empty array, too
            raise CodecError(f"an array has a malformed shape: {error}") from error

    def _span(self, offset: Any, length: Any) -> tuple[int, int]:
        if not _is_size(offset) or not _is_size(length) or offset + length > len(self._blob):
            raise CodecError("a reference points outside the blob")
        self._values += REFERENCE_VALUES
        self._referenced += length
        if self._referenced > len(self._blob):
            raise CodecError("references overlap")
        return offset, length


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**31


def _unescaped(key: str) -> str:
    if not key.startswith("$"):
        return _encodable(key)
    if not key.startswith("$$"):
        raise CodecError("a key starts with a single $")
    return _encodable(key[1:])


def _encodable(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
