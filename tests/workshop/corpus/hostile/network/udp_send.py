"""Sends one datagram, connected and not connected, and by sendmsg."""

import socket


def udp_send(targets: dict) -> dict:
    """Announce the robot."""
    print("PRIMITIVE", socket.SOCK_DGRAM)
    said = []
    for way in ("sendto", "sendmsg", "connect", "raw"):
        try:
            kind = socket.SOCK_RAW if way == "raw" else socket.SOCK_DGRAM
            with socket.socket(socket.AF_INET, kind, 17 if way == "raw" else 0) as link:
                if way == "sendto":
                    link.sendto(targets["nonce"].encode(), tuple(targets["udp"]))
                elif way == "sendmsg":
                    link.sendmsg([targets["nonce"].encode()], [], 0, tuple(targets["udp"]))
                else:
                    link.connect(tuple(targets["udp"]))
                    link.send(targets["nonce"].encode())
            said.append(way)
        except OSError as error:
            said.append(repr(error))
    return {"said": said}
