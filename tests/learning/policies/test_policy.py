"""A policy is one file; what is none is refused."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reachy_mind.errors import AssetError
from reachy_mind.learning.policies.experience import Experience
from reachy_mind.learning.policies.policy import Policy


def network() -> Policy:
    rng = np.random.default_rng(0)
    sizes = (7, 8, 2)
    layers = [
        (rng.normal(size=(before, after)).astype(np.float32), rng.normal(size=after).astype(np.float32))
        for before, after in pairwise(sizes)
    ]
    return Policy(layers, np.zeros(7, np.float32), np.ones(7, np.float32), {"task": "look_at"})


def test_a_policy_that_is_read_back_acts_the_same(tmp_path: Path) -> None:
    policy, seen = network(), np.random.default_rng(1).normal(size=(5, 7)).astype(np.float32)
    (tmp_path / "policy.npz").write_bytes(policy.to_bytes())
    again = Policy.load(tmp_path / "policy.npz")
    np.testing.assert_array_equal(again.act(seen), policy.act(seen))
    assert again.meta == {"task": "look_at"}
    assert (np.abs(again.act(seen * 100)) <= 1).all()


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "text"])
def test_a_damaged_file_is_refused(tmp_path: Path, damage: str) -> None:
    content = network().to_bytes()
    middle = len(content) // 2
    damaged = {
        "cut": content[:middle],
        "changed": content[:middle] + bytes(200) + content[middle + 200 :],
        "empty": b"",
        "text": b"not a policy",
    }[damage]
    (tmp_path / "policy.npz").write_bytes(damaged)
    with pytest.raises(AssetError, match=r"policy\.npz"):
        Policy.load(tmp_path / "policy.npz")


def test_layers_that_do_not_fit_are_refused() -> None:
    policy = network()
    wrong = Policy([policy.layers[1], policy.layers[0]], policy.mean, policy.scale)
    with pytest.raises(AssetError, match="don't fit"):
        Policy.from_bytes(wrong.to_bytes())


def hostile(**changed: Any) -> bytes:
    """The file of a policy with other arrays in it."""
    with np.load(io.BytesIO(network().to_bytes())) as file:
        arrays = {key: file[key] for key in file} | changed
    content = io.BytesIO()
    np.savez(content, **arrays)
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (hostile(weight_0=np.full((7, 8), np.nan, np.float32)), "numbers that are none"),
        (hostile(weight_0=np.full((7, 8), 1e300)), "numbers that are none"),
        (hostile(weight_0=np.full((7, 8), "x")), "type <U1"),
        (hostile(scale=np.zeros(7, np.float32)), "not positive"),
        (hostile(scale=np.ones(3, np.float32)), "don't fit"),
        (hostile(bias_1=np.zeros((2, 2), np.float32)), "don't fit"),
        (hostile(meta=np.frombuffer(b"[1]", np.uint8)), "no object"),
        (hostile(weight_0=np.zeros((7, 1_000_000), np.float32)), "bytes, where"),
        (hostile(experience_mean=np.zeros(7)), "experience_low"),
        (replace(network(), experience=Experience.of(np.zeros((2, 3)))).to_bytes(), "don't fit"),
        (replace(network(), experience=replace(Experience.of(np.zeros((2, 7))), limit=np.inf)).to_bytes(), "none"),
    ],
)
def test_a_file_that_would_mislead_or_fill_the_memory_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(AssetError, match=reason):
        Policy.from_bytes(content)


def test_an_array_that_claims_to_be_larger_than_its_file_is_refused() -> None:
    content = io.BytesIO(network().to_bytes())
    claim = io.BytesIO()
    np.lib.format.write_array_header_2_0(claim, {"descr": "<f4", "fortran_order": False, "shape": (7, 10**12)})
    with zipfile.ZipFile(content, "a") as packed:
        packed.writestr("weight_2.npy", claim.getvalue())
    with pytest.raises(AssetError, match="no policy"):
        Policy.from_bytes(content.getvalue())
