"""The depth limit of JSON bodies, and that measuring the depth takes no time."""

from __future__ import annotations

import pytest

from reachy_mind.access.body_limits import MAX_JSON_DEPTH, json_depth

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
        (b"[]" * 65 + b'"' + b'\\"' * (MIB // 2), False),  # an unterminated string, which once took hours
        (b"[]" * 65 + b'"' * MIB, False),
    ],
)
def test_json_depth_is_measured_at_once(text: bytes, too_deep: bool) -> None:
    assert (json_depth(text) > MAX_JSON_DEPTH) is too_deep
