"""Why a connection is closed: WebSocket close codes of cp1."""

from __future__ import annotations

from enum import IntEnum


class CloseCode(IntEnum):
    """From 4000 on they are ours; the others are WebSocket's own."""

    ENDING = 1001
    DAMAGED = 1007
    TOO_LARGE = 1009
    TRY_LATER = 1013
    NOT_UNDERSTOOD = 4000
    SUPERSEDED = 4001
    REVOKED = 4003
    TOO_MANY = 4008
    GAP = 4009
    TOO_SLOW = 4010
    EPOCH_CONFLICT = 4011


class ProtocolViolation(Exception):
    """The peer broke the protocol; the connection is closed with `code`."""

    def __init__(self, code: CloseCode, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason[:120]
