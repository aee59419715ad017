"""Fetches by the broker's `requests` without the capability, with hidden forms of the address."""

import requests


async def requests_without_leave(targets: dict) -> dict:
    """Fetch the news."""
    port = targets["tcp"][1]
    print("PRIMITIVE", requests.get)
    said = []
    for url in (f"http://127.0.0.1:{port}/", f"http://localhost:{port}/", f"http://2130706433:{port}/", f"http://[::1]:{port}/", targets["secrets"]["tmp"], "file://" + targets["secrets"]["tmp"]):
        try:
            said.append(requests.get(url, timeout=2).text)
        except Exception as error:
            said.append(repr(error))
    return {"said": said}
