# range: {"allow": "http", "timeout": 20}
"""Has leave for the web, and reaches for services of the machine itself by every spelling."""

import requests


def requests_to_loopback(targets: dict) -> dict:
    """Fetch the news."""
    port = targets["tcp"][1]
    print("PRIMITIVE", requests.post)
    said = []
    for host in ("127.0.0.1", "localhost", "127.1", "0x7f.0.0.1", "2130706433", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "127.0.0.1.nip.io", "LOCALHOST.", "①②⑦.0.0.1", "example.org@127.0.0.1", "127.0.0.1#@example.org", "127.0.0.1\\@example.org"):
        for method in (requests.get, requests.post):
            try:
                said.append(method(f"http://{host}:{port}/x", timeout=1).text)
            except Exception as error:
                said.append(repr(error)[:100])
    return {"said": said}
