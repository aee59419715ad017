"""`NodeBus`: short messages between the nodes of a control plane. It may lose any of them: the rows in the store are
the truth, and each node looks there from time to time.

Subjects: `node.NODE` wakes a node for one device (`Wake`), `tenant.TENANT` says what happened (JSON, for the page).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

Handler = Callable[[dict[str, Any]], None]
"""Called in the event loop; it must not wait."""


class NodeBus(Protocol):
    """Use as an async context manager."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *_: object) -> None: ...

    async def publish(self, subject: str, message: dict[str, Any]) -> None:
        """Send, or lose it silently: nobody depends on it."""
        ...

    def subscribe(self, subject: str, handler: Handler) -> AbstractContextManager[None]:
        """Messages of a subject, as long as the context is open."""
        ...

    @property
    def connected(self) -> bool: ...


@dataclass(frozen=True)
class Wake:
    """Something in the store changed for a device that is connected to a node."""

    device: str
    kind: Literal["command", "twin", "fence", "revoked"]
    generation: int = 0
    """`fence`: that of the connection that counts from now on."""

    def as_message(self) -> dict[str, Any]:
        return asdict(self)


class LocalBus:
    """The bus of a single node: calls the handlers of this process."""

    connected = True

    def __init__(self) -> None:
        self._handlers: dict[str, list[Handler]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._handlers.clear()

    async def publish(self, subject: str, message: dict[str, Any]) -> None:
        for handler in tuple(self._handlers.get(subject, ())):
            handler(json.loads(json.dumps(message)))

    @contextmanager
    def subscribe(self, subject: str, handler: Handler) -> Iterator[None]:
        handlers = self._handlers.setdefault(subject, [])
        handlers.append(handler)
        try:
            yield
        finally:
            handlers.remove(handler)
            if not handlers and self._handlers.get(subject) is handlers:
                del self._handlers[subject]
