# range: {"allow": "http:127.0.0.1:{redirect_port}", "timeout": 15}
"""May use one host and port; that one redirects to a service of the machine."""

import requests


async def redirect_to_another(targets: dict) -> dict:
    """Follow the news."""
    print("PRIMITIVE", requests.get)
    said = []
    for path in ("", "302", "307", "308", "meta", "userinfo"):
        for extra in ({}, {"allow_redirects": True}):
            try:
                answer = requests.get(targets["redirect"] + path, timeout=3, **extra)
                said.append([answer.status_code, answer.text[:200], getattr(answer, "url", "")])
            except Exception as error:
                said.append(repr(error)[:200])
    return {"said": said}
