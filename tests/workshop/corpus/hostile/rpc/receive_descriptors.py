# range: {"unguarded": false}
"""Waits for a descriptor on the channel, sends its own, and asks who is at the other end."""

import array
import os
import socket
import struct


def receive_descriptors(targets: dict) -> dict:
    """Share a file."""
    channel = socket.socket(fileno=os.dup(3))
    channel.setblocking(False)
    said = []
    try:
        pid, uid, gid = struct.unpack("iII", channel.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        said.append([pid, uid, gid])
    except OSError as error:
        said.append(repr(error))
    print("PRIMITIVE channel", said)
    for _ in range(20):
        try:
            channel.sendmsg([b"\0" * 8], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]).tobytes())])
        except OSError as error:
            said.append(repr(error))
            break
    try:
        data, ancillary, _, _ = channel.recvmsg(100, socket.CMSG_SPACE(400))
        if ancillary:
            print("EVIDENCE descriptors", ancillary)
    except OSError as error:
        said.append(repr(error))
    return {"said": said}
