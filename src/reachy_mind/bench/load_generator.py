"""Load generator for `bench api`, in a process of its own: requests at a fixed rate, and viewers that only read.

python -m reachy_mind.bench.load_generator 127.0.0.1:8642 SECONDS VIEWERS      prints one JSON object
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from itertools import count

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from reachy_mind.cancellation import cancel_and_wait

REQUESTS_PER_S = 100.0
CONNECTIONS = 16
ROUTES = (
    ("GET", "/healthz"),
    ("GET", "/api/v1/robot/state"),
    ("GET", "/api/v1/session?limit=20"),
    ("GET", "/api/v1/tools?limit=20"),
    ("POST", "/api/v1/tools/execute"),
    ("GET", "/api/v1/tasks"),
    ("GET", "/api/v1/audit?limit=20"),
    ("GET", "/api/v1/memory"),
    ("GET", "/api/v1/profiles?limit=5"),
    ("GET", "/api/v1/voice"),
    ("GET", "/api/v1/vision"),
    ("GET", "/api/v1/moves?limit=20"),
)
BODY = b'{"tool_name": "get_time"}'


async def measure(place: str, seconds: float, viewers: int) -> dict[str, float]:
    """Milliseconds from the due time of each request to the end of its answer."""
    async with contextlib.AsyncExitStack() as stack:
        routes = [f"ws://{place}/api/v1/ws/{'events' if n % 2 else 'robot?hz=1'}" for n in range(viewers)]
        watching = [await stack.enter_async_context(connect(route, proxy=None)) for route in routes]
        reading = [asyncio.create_task(_read(one), name="viewer") for one in watching]
        took: list[float] = []
        failed: list[int] = []
        numbers, began = count(), time.perf_counter() + 0.5

        async def caller() -> None:
            host, _, port = place.partition(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            while (number := next(numbers)) < seconds * REQUESTS_PER_S:
                due = began + number / REQUESTS_PER_S
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                writer.write(_request(place, *ROUTES[number % len(ROUTES)], number))
                status = await _answer(reader)
                took.append((time.perf_counter() - due) * 1000)
                if status >= 400:
                    failed.append(status)
            writer.close()

        await asyncio.gather(*(caller() for _ in range(CONNECTIONS)))
        lost = sum(task.done() for task in reading)
        await asyncio.gather(*(cancel_and_wait(task) for task in reading))
    took.sort()
    return {
        "p50_ms": round(took[len(took) // 2], 2),
        "p95_ms": round(took[int(len(took) * 0.95)], 2),
        "p99_ms": round(took[int(len(took) * 0.99)], 2),
        "max_ms": round(took[-1], 2),
        "requests": len(took),
        "failed": len(failed),
        "viewers": viewers,
        "viewers_lost": lost,
    }


async def _read(socket: ClientConnection) -> None:
    with contextlib.suppress(ConnectionClosed):
        while True:
            await socket.recv()


def _request(place: str, method: str, path: str, number: int) -> bytes:
    body = BODY if method == "POST" else b""
    head = f"{method} {path} HTTP/1.1\r\nHost: {place}\r\nUser-Agent: bench {number % 4}\r\n"
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


async def _answer(reader: asyncio.StreamReader) -> int:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = int(head.partition("content-length:")[2].partition("\r\n")[0])
    await reader.readexactly(length)
    return int(head.split(" ", 2)[1])


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(sys.argv[1], float(sys.argv[2]), int(sys.argv[3])))))
