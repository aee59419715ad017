"""The payloads of the handshake, of twins and heartbeats: checked before anything is done with them."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.frame import decode, encode, new_frame
from reachy_mind.fleet.protocol.handshake import Desired, Heartbeat, Hello, Persona, Reported, Welcome, payload_of
from tests.fleet.protocol.frame_strategies import IDS, JSON, NUMBERS, TEXTS

SHORT = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20)
PERSONAS = st.builds(
    Persona,
    id=st.from_regex(r"[a-z0-9][a-z0-9_-]{0,63}", fullmatch=True),
    etag=st.from_regex(r"[0-9a-f]{64}", fullmatch=True),
)
HELLOS = st.builds(
    Hello,
    device=SHORT,
    boot=IDS,
    epoch=IDS,
    twin=NUMBERS,
    agent=SHORT,
    caps=st.lists(SHORT, max_size=4),
    reported=st.none() | st.builds(Reported, version=NUMBERS, errors=st.dictionaries(SHORT, SHORT, max_size=4)),
)
DESIRED = st.builds(
    Desired, version=NUMBERS, persona=st.none() | PERSONAS, config=st.dictionaries(TEXTS, JSON, max_size=3)
)
HELLO: dict[str, Any] = {"device": "kitchen", "boot": "b", "epoch": "e"}
ETAG = "a" * 64


@settings(deadline=None)
@given(HELLOS | DESIRED)
def test_what_is_said_is_understood(said: Hello | Desired) -> None:
    frame = new_frame("hello", said.model_dump(mode="json", exclude_none=True))
    assert payload_of(decode(encode(frame)), type(said)) == said


@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from([Hello, Welcome, Desired, Reported, Heartbeat]),
    st.sampled_from([field for kind in (Hello, Welcome, Desired, Reported, Heartbeat) for field in kind.model_fields]),
    JSON,
)
def test_any_payload_is_understood_or_a_protocol_error(kind: type[Hello], field: str, value: Any) -> None:
    given_ = {"conn": "c", "generation": 1, "up": {}, "down": "e", "time": 0} | HELLO | {field: value}
    with contextlib.suppress(ProtocolViolation):
        payload_of(new_frame("hello", given_), kind)


@pytest.mark.parametrize(
    "wrong",
    [
        {"epoch": ""},
        {"epoch": "e/../e"},
        {"boot": "b\n"},
        {"device": "kitchen\n"},
        {"device": "k" * 201},
        {"caps": ["x"] * 65},
        {"twin": -1},
        {"twin": 1.5},
        {"down": {"seq": -1}},
        {"down": []},
        {"reported": {"errors": {"persona": "line\nline"}}},
        {"reported": {"errors": {f"part {n}": "x" for n in range(17)}}},
    ],
)
def test_a_hello_that_is_none_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ProtocolViolation) as refused:
        payload_of(new_frame("hello", HELLO | wrong), Hello)
    assert refused.value.code == CloseCode.NOT_UNDERSTOOD


@pytest.mark.parametrize(
    "persona",
    [
        {"id": "../poet", "etag": ETAG},
        {"id": "..", "etag": ETAG},
        {"id": "/etc/passwd", "etag": ETAG},
        {"id": "poet\n", "etag": ETAG},
        {"id": "Poet", "etag": ETAG},
        {"id": "", "etag": ETAG},
        {"id": "p" * 65, "etag": ETAG},
        {"id": "poet", "etag": "../" + ETAG},
        {"id": "poet", "etag": ETAG + "\n"},
        {"id": "poet", "etag": ETAG.upper()},
        {"id": "poet", "etag": ETAG[1:]},
        {"id": "poet"},
        "poet",
    ],
)
def test_a_personality_whose_name_or_hash_is_none_is_refused(persona: Any) -> None:
    """They become parts of a path and of an address on the device."""
    with pytest.raises(ProtocolViolation):
        payload_of(new_frame("twin.desired", {"version": 1, "persona": persona}), Desired)


@pytest.mark.parametrize("volume", [-1, 101, 1.5, "loud"])
def test_a_volume_is_from_0_to_100(volume: Any) -> None:
    with pytest.raises(ProtocolViolation):
        payload_of(new_frame("twin.desired", {"version": 1, "volume": volume}), Desired)
