# range: {"unguarded": false, "timeout": 4}
"""Sends frames that are not JSON, not text, too deep, of other types, and with repeated keys."""

import os
import struct
import time


def broken_json(targets: dict) -> dict:
    """Speak unclearly."""
    wrote = 0
    for data in (b"", b"{", b"\xff\xfe", b"[" * 100_000, b"null", b"[]", b'"call"', b'{"type":"call","kind":"call","id":NaN,"method":1,"args":Infinity}', b'{"type":"call","type":"result"}', b"\x00" * 100, b"1e999999", b'{"type":"call","kind":"call","id":' + b"9" * 5000 + b',"method":"tools.call","args":{"name":"get_time"}}', b'{"type":"call","kind":"call","id":1,"method":"' + b"m" * 10**6 + b'","args":{}}', b'{"type":["call"],"kind":{"a":1}}'):
        try:
            wrote += os.write(3, struct.pack(">II", len(data), 0) + data)
        except OSError as error:
            print(error)
    print("PRIMITIVE wrote", wrote)
    time.sleep(0.3)
    return {"wrote": wrote}
