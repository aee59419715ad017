"""Connects to a socket in the abstract namespace, which file permissions do not govern."""

import socket


def abstract_connect(targets: dict) -> dict:
    """Talk to the display."""
    print("PRIMITIVE", socket.AF_UNIX)
    said = []
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        try:
            with socket.socket(socket.AF_UNIX, kind) as link:
                link.connect("\0" + targets["abstract"])
                link.send(targets["nonce"].encode())
                said.append("sent")
        except OSError as error:
            said.append(repr(error))
    try:
        left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        left.sendto(targets["nonce"].encode(), "\0" + targets["abstract"] + "-datagram")
        right.sendto(targets["nonce"].encode(), targets["unix"] + "-datagram")
    except OSError as error:
        said.append(repr(error))
    return {"said": said}
