"""Whether the server in this container answers: exit code 0 or 1. The argument is its port.

It asks `/healthz` on loopback, without TLS and then with it: a control plane that no proxy stands before speaks TLS
there too. The certificate is not checked, because nothing is sent and nothing but the status is read.
"""

import http.client
import ssl
import sys

TIMEOUT_S = 4.0


def answers(port: int) -> bool:
    """Whether `/healthz` answers with 200, over either scheme."""
    unchecked = ssl._create_unverified_context()  # noqa: S323 -- as said above
    connections = (
        http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S / 2),
        http.client.HTTPSConnection("127.0.0.1", port, timeout=TIMEOUT_S / 2, context=unchecked),
    )
    for connection in connections:
        try:
            connection.request("GET", "/healthz")
            if connection.getresponse().status == 200:
                return True
        except (OSError, http.client.HTTPException):
            continue
        finally:
            connection.close()
    return False


if __name__ == "__main__":
    sys.exit(0 if answers(int(sys.argv[1])) else 1)
