"""Connects by a plain TCP socket, in every family."""

import socket


async def tcp_connect(targets: dict) -> dict:
    """Check the connection."""
    print("PRIMITIVE", socket.socket)
    said = []
    for family, address in (
        (socket.AF_INET, tuple(targets["tcp"])),
        (socket.AF_INET6, ("::ffff:127.0.0.1", targets["tcp"][1])),
        (socket.AF_INET6, ("::1", targets["tcp"][1])),
    ):
        try:
            with socket.socket(family, socket.SOCK_STREAM) as link:
                link.settimeout(1)
                link.connect(address)
                link.sendall(targets["nonce"].encode())
                said.append(link.recv(200).decode())
        except OSError as error:
            said.append(repr(error))
    return {"said": said}
