"""What may be in a frame, for hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from reachy_mind.fleet.protocol.frame import MAX_NUMBER

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=10,
)
NUMBERS = st.integers(0, MAX_NUMBER)
IDS = st.from_regex(r"[0-9A-Za-z_-]{1,64}", fullmatch=True)
TYPES = st.from_regex(r"[a-z][a-z_]{0,9}(\.[a-z][a-z_]{0,9}){0,3}", fullmatch=True)
