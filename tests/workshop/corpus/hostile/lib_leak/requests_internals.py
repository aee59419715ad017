"""Looks for the real HTTP library, its sessions and its os, behind the stub."""

import sys

import requests


async def requests_internals(targets: dict) -> dict:
    """Fetch a page."""
    said = sorted(vars(requests))
    print("PRIMITIVE", len(said))
    for name in ("requests.sessions", "requests.adapters", "requests.compat", "urllib3", "httpx", "aiohttp", "urllib.request", "http.client", "httpcore", "websockets", "anyio"):
        try:
            module = sys.modules.get(name) or __import__(name, fromlist=["*"])
            said.append(str(module))
            for call in ("Session", "Client", "PoolManager", "urlopen"):
                if hasattr(module, call):
                    maker = getattr(module, call)
                    got = maker(targets["http"], timeout=1) if call == "urlopen" else maker()
                    if hasattr(got, "get"):
                        got = got.get(targets["http"])
                    elif hasattr(got, "request"):
                        got = got.request("GET", targets["http"])
                    print(getattr(got, "text", None) or getattr(got, "data", None) or got.read())
        except BaseException as error:
            said.append(repr(error)[:100])
    return {"said": said}
