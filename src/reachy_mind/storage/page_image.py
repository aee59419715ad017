"""`PageImage`: the rows of an SQLite file read page by page, without SQLite, so that damage costs only what it hit.

Reads the file format as documented by SQLite ("Database File Format"): pages of table trees, records, overflow pages,
and the committed part of a write-ahead log. Deleted rows do not come back: the database overwrites them
(`secure_delete`).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

Value = int | float | str | bytes | None
HEADER_BYTES, DEFAULT_PAGE_BYTES = 100, 4096
MOST_PAGES = 1 << 22
"""More are not believed: a damaged header."""
TABLE_LEAF, TABLE_INTERIOR = 0x0D, 0x05
_WAL_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}
_INTEGER_BYTES = (0, 1, 2, 3, 4, 6, 8)
"""Length of an integer, by its serial type."""


class UnreadableCell(Exception):
    """A row that makes no sense."""


@dataclass(frozen=True)
class RawRow:
    """A row as it was found. `replaced`: characters that could not be read were replaced."""

    page: int
    rowid: int
    values: tuple[Value, ...]
    replaced: bool = False


@dataclass
class PageImage:
    """All pages of a database, those of the write-ahead log over those of the file."""

    data: bytes
    page_bytes: int
    reserved: int
    newer: dict[int, bytes] = field(default_factory=dict)
    """Pages of the write-ahead log."""
    unreadable_cells: dict[int, int] = field(default_factory=dict)
    """By page: rows that could not be read."""

    @classmethod
    def read(cls, file: Path) -> PageImage:
        """Raises OSError."""
        data = file.read_bytes()
        log = file.with_name(file.name + "-wal")
        frames = log.read_bytes() if log.exists() else b""
        given = [int.from_bytes(data[16:18], "big"), *struct.unpack(">I", frames[8:12].rjust(4, b"\0"))]
        sizes = [65536 if size == 1 else size for size in given]
        valid = [size for size in sizes if 512 <= size <= 65536 and size & (size - 1) == 0]
        size = valid[0] if valid else DEFAULT_PAGE_BYTES
        reserved = data[20] if len(data) > 20 and data[20] <= 32 else 0
        return cls(data, size, reserved, _committed_pages(frames, size))

    @property
    def count(self) -> int:
        return max(len(self.data) // self.page_bytes, *self.newer, 0)

    @property
    def cut_off(self) -> int:
        """How many pages the file should have, by its header, and does not."""
        declared = int.from_bytes(self.data[28:32], "big")
        return max(0, declared - self.count) if declared <= MOST_PAGES else 0

    @property
    def user_version(self) -> int:
        return int.from_bytes(self.page(1)[60:64], "big")

    def page(self, number: int) -> bytes:
        """A page; empty when there is none of this number."""
        start = (number - 1) * self.page_bytes
        return self.newer.get(number) or self.data[start : start + self.page_bytes] if number > 0 else b""

    def kind(self, number: int) -> int:
        page, start = self.page(number), self._start(number)
        return page[start] if len(page) == self.page_bytes else 0

    def children(self, number: int) -> list[int]:
        """The pages below an interior page of a table."""
        page, start = self.page(number), self._start(number)
        cells = self._cells(page, start, 12)
        below = [int.from_bytes(page[cell : cell + 4], "big") for cell in cells]
        return [*below, int.from_bytes(page[start + 8 : start + 12], "big")]

    def rows(self, number: int) -> Iterator[RawRow]:
        """The readable rows of a leaf page of a table."""
        page, start = self.page(number), self._start(number)
        unreadable = 0
        for cell in self._cells(page, start, 8):
            try:
                yield self._row(number, page, cell)
            except (UnreadableCell, IndexError, struct.error):
                unreadable += 1
        declared = int.from_bytes(page[start + 3 : start + 5], "big")
        unreadable += max(0, min(declared, self.page_bytes // 4) - len(self._cells(page, start, 8)))
        if unreadable:
            self.unreadable_cells[number] = unreadable

    def _start(self, number: int) -> int:
        return HEADER_BYTES if number == 1 else 0

    def _cells(self, page: bytes, start: int, header: int) -> list[int]:
        """Where the cells of a page begin, those that can be within it."""
        count = int.from_bytes(page[start + 3 : start + 5], "big")
        first = start + header
        places = [int.from_bytes(page[at : at + 2], "big") for at in range(first, first + 2 * count, 2)]
        return [place for place in places if first < place < self.page_bytes - self.reserved]

    def _row(self, number: int, page: bytes, cell: int) -> RawRow:
        size, at = _varint(page, cell)
        rowid, at = _varint(page, at)
        record = self._payload(page, at, size)
        values, replaced = _decode(record)
        return RawRow(number, rowid - (1 << 64) if rowid >> 63 else rowid, values, replaced)

    def _payload(self, page: bytes, at: int, size: int) -> bytes:
        """The bytes of a record: in the page, and in its overflow pages."""
        usable = self.page_bytes - self.reserved
        if not 0 < size <= self.count * usable:
            raise UnreadableCell
        if size <= usable - 35:
            return _exactly(page[at : at + size], size)
        least = (usable - 12) * 32 // 255 - 23
        local = least + (size - least) % (usable - 4)
        local = local if local <= usable - 35 else least
        parts, left = [_exactly(page[at : at + local], local)], size - local
        following = int.from_bytes(page[at + local : at + local + 4], "big")
        while left > 0:
            overflow = _exactly(self.page(following), self.page_bytes)
            parts.append(overflow[4 : 4 + min(left, usable - 4)])
            left -= len(parts[-1])
            following = int.from_bytes(overflow[:4], "big")
        return b"".join(parts)


def _exactly(data: bytes, size: int) -> bytes:
    if len(data) != size:
        raise UnreadableCell
    return data


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for length in range(8):
        byte = data[at + length]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + length + 1
    return value << 8 | data[at + 8], at + 9


def _decode(record: bytes) -> tuple[tuple[Value, ...], bool]:
    """The values of a record, and whether characters had to be replaced."""
    size, at = _varint(record, 0)
    kinds = []
    while at < size:
        kind, at = _varint(record, at)
        kinds.append(kind)
    lengths = [_length(kind) for kind in kinds]
    if at != size or size + sum(lengths) != len(record):
        raise UnreadableCell
    values, replaced = [], False
    for kind, length in zip(kinds, lengths, strict=True):
        value, odd = _value(kind, record[at : at + length])
        values.append(value)
        replaced, at = replaced or odd, at + length
    return tuple(values), replaced


def _length(kind: int) -> int:
    if kind in (8, 9):
        return 0
    if kind in (10, 11):
        raise UnreadableCell
    return _INTEGER_BYTES[kind] if kind < 7 else 8 if kind == 7 else (kind - 12) // 2


def _value(kind: int, data: bytes) -> tuple[Value, bool]:
    if kind < 12:
        number = int.from_bytes(data, "big", signed=True) if kind < 7 else kind - 8
        special: dict[int, Value] = {0: None, 7: struct.unpack(">d", data.rjust(8, b"\0"))[0] if kind == 7 else 0.0}
        return special.get(kind, number), False
    if kind % 2 == 0:
        return data, False
    try:
        return data.decode(), False
    except UnicodeDecodeError:
        return data.decode(errors="replace"), True


def _committed_pages(log: bytes, page_bytes: int) -> dict[int, bytes]:
    """The pages of a write-ahead log up to its last whole transaction."""
    order = _WAL_MAGIC.get(int.from_bytes(log[:4], "big"))
    if order is None or len(log) < 32 or int.from_bytes(log[8:12], "big") != page_bytes:
        return {}
    sums = _checksum(log[:24], (0, 0), order)
    committed: dict[int, bytes] = {}
    waiting: dict[int, bytes] = {}
    for at in range(32, len(log) - page_bytes - 23, 24 + page_bytes):
        header, page = log[at : at + 24], log[at + 24 : at + 24 + page_bytes]
        number, size = struct.unpack(">II", header[:8])
        sums = _checksum(page, _checksum(header[:8], sums, order), order)
        if header[8:16] != log[16:24] or sums != struct.unpack(">II", header[16:24]):
            break
        waiting[number] = page
        if size:
            committed |= waiting
            waiting = {}
    return committed


def _checksum(data: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = first + even + second & 0xFFFFFFFF
        second = second + odd + first & 0xFFFFFFFF
    return first, second
