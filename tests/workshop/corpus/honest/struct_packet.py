"""Packs and unpacks binary data."""

import array
import struct
import zlib
from decimal import Decimal
from io import BytesIO


def struct_packet(values: list[int]) -> dict:
    """Pack numbers, compress them and read them back."""
    data = struct.pack(f"<{len(values)}h", *values)
    packed = zlib.compress(data * 50)
    stream = BytesIO(zlib.decompress(packed))
    again = array.array("h")
    again.frombytes(stream.read(len(data)))
    return {"again": list(again), "smaller": len(packed) < len(data) * 50, "exact": str(Decimal("0.1") + Decimal("0.2"))}
