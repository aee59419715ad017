"""A policy is one file; what is none is refused."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.errors import AssetError
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
