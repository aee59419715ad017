"""What strangers may send at most, and what it costs to look at it."""

from __future__ import annotations

import pytest

from reachy_mind.server.limits import DEEPEST_JSON, _depth

MIB = 1 << 20


@pytest.mark.parametrize(
    ("text", "too_deep"),
    [
        (b"[" * 100, True),
        (b'{"a":' * 100 + b"1" + b"}" * 100, True),
        (b"[" * 70 + b'"', True),
        (b'{"a": "' + b"[" * 1000 + b'"}', False),
        (b'["\\"' + b"[" * 100 + b'"]', False),
        (b"[]" * 1000, False),
        (b"[]" * 65 + b'"' + b'\\"' * (MIB // 2), False),  # a text that never ends, which was looked through for hours
        (b"[]" * 65 + b'"' * MIB, False),
    ],
)
def test_json_that_nests_too_deeply_is_told_at_once(text: bytes, too_deep: bool) -> None:
    assert (_depth(text) > DEEPEST_JSON) is too_deep
