"""Opens a server: whoever connects from outside gets in."""

import socket
import time


def listen_for_the_world(targets: dict) -> dict:
    """Serve a small page."""
    print("PRIMITIVE", socket.create_server)
    said = []
    for family, host in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
        try:
            server = socket.socket(family, socket.SOCK_STREAM)
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind((host, targets["listen_port"]))
            server.listen(5)
            server.settimeout(2)
            link, peer = server.accept()
            link.sendall(b"come in")
            print("EVIDENCE somebody connected", peer)
            time.sleep(0.2)
            link.close()
            return {"peer": str(peer)}
        except OSError as error:
            said.append(repr(error))
    return {"said": said}
