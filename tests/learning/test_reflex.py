"""Training the reader: needs torch (`make test-extras`)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from reachy_mind.brains.reflex.labels import BUILT_IN
from reachy_mind.brains.reflex.markup import parse
from reachy_mind.brains.reflex.reader import WEIGHTS, Reader
from reachy_mind.cli import app

pytestmark = pytest.mark.process

PLACES = "Rome|the back garden|the orchard|the park|town|Kent|the field|Bonn|school|the yard".split("|")  # noqa: SIM905
OWN = [f'<bees_report garden="{place}">how are the bees in {place}</>' for place in PLACES]


def test_too_few_sentences_are_refused_before_anything_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REACHY_MIND_HOME", str(tmp_path))
    result = CliRunner().invoke(app, ["learn", "reflex"])
    assert "no sentences" in str(result.exception)
    (tmp_path / "reflex/sentences").mkdir(parents=True)
    (tmp_path / "reflex/sentences/bees.txt").write_text("\n".join(OWN[:3]))
    assert "too few to learn bees_report" in str(CliRunner().invoke(app, ["learn", "reflex"]).exception)


def test_a_reset_goes_back_to_what_was_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACHY_MIND_HOME", str(tmp_path))
    (tmp_path / "reflex").mkdir()
    (tmp_path / "reflex/weights.npz").write_bytes(b"x")
    result = CliRunner().invoke(app, ["learn", "reflex", "--reset", "--json"])
    assert json.loads(result.stdout) == {"reset": True} and not (tmp_path / "reflex/weights.npz").exists()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_tool_of_ones_own_is_learned_and_the_rest_is_kept(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from reachy_mind.learning.pretrained import Start
    from reachy_mind.learning.reflex import Recipe, train

    inventory = BUILT_IN.with_tools({"bees_report": ("garden",)})
    own = [parse(line, inventory) for line in OWN]
    others = [
        parse(f"<nod>nod</> and <move_head direction={way}>look {way}</>") for way in ("left", "right", "up")
    ] * 40
    recipe = Recipe(steps=150, batch=16, rate=3e-5, held_out=0.1)
    arrays = train(others, inventory, Start.saved(WEIGHTS), recipe, own=own, told=lambda line: None)
    np.savez(tmp_path / "weights.npz", **arrays)
    reader = Reader.load(tmp_path / "weights.npz")
    assert [one.label for one in reader.read("how are the bees in the valley").found] == ["bees_report"]
    assert [one.label for one in reader.read("look left and nod").found] == ["move_head", "nod"]
    assert [one.label for one in reader.read("set a timer for ten minutes").found] == ["set_timer"]


def test_the_arithmetic_in_numpy_is_that_of_torch() -> None:
    torch = pytest.importorskip("torch")
    from reachy_mind.brains.reflex.network import Network, encode
    from reachy_mind.learning.pretrained import Start
    from reachy_mind.learning.reflex import Net, begun

    network, start = Network.load(WEIGHTS), Start.saved(WEIGHTS)
    net = Net(len(start.vocabulary), start.layers, network.inventory).eval()
    net.load_state_dict(begun(net.state_dict(), start, network.inventory))
    encoded = encode(["could", "you", "nod", "three", "times"], ["look"], network.pieces)
    words, sentence = network.states(encoded)
    with torch.no_grad():
        theirs, theirs_sentence = net.encode(
            torch.tensor([encoded.pieces]), torch.tensor([encoded.kinds]), torch.tensor([len(encoded.pieces)]),
            torch.tensor([encoded.firsts]),
        )  # fmt: skip
    assert np.allclose(words, theirs[0].numpy(), atol=2e-3) and np.allclose(
        sentence, theirs_sentence[0].numpy(), atol=2e-3
    )
