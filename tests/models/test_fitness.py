"""Which chat model fits a machine, which one is recommended, and which pulled one is used."""

from __future__ import annotations

import typing
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.config.configuration import Configuration, load
from reachy_mind.config.settings import ModelsSettings
from reachy_mind.errors import AssetError
from reachy_mind.models import fitness, llama, machine, pins
from reachy_mind.models.catalogue.chat import CHAT_MODELS
from reachy_mind.models.chat_choice import chosen_chat_model
from reachy_mind.models.machine import Machine
from reachy_mind.models.pins import Pin
from reachy_mind.models.store import Store
from reachy_mind.models.unpack import Manifest

GB = 1_000_000_000
DESKTOP = Machine(memory=16 * GB, free_memory=12 * GB, cores=8, on_battery=False, free_disk=100 * GB)


@pytest.mark.parametrize(
    ("change", "name", "reason"),
    [
        ({}, "chat-qwen3-4b", "4.2 GB of the 12.0 GB of memory that are free, and 8 cores are enough"),
        ({"cores": 4}, "chat", "Qwen3 4B would be better, but it would be slow with 4 cores"),
        ({"on_battery": True}, "chat", "slow on battery with 8 cores"),
        ({"free_memory": 4 * GB}, "chat", "it takes 4.2 GB of memory, and 3.5 GB can be spared"),
        ({"memory": 4 * GB, "free_memory": 3 * GB, "cores": 4}, "chat", "it takes 4.2 GB"),
        ({"free_disk": 2400_000_000}, "chat", "it needs 2.5 GB on the disk, where 2.4 GB are free"),
        ({"memory": 2 * GB, "free_memory": 1 * GB}, None, "no language model fits this machine: it takes 2.0 GB"),
        ({"free_disk": GB}, None, "where 1.0 GB are free"),
    ],
)
def test_the_recommendation_and_its_reason(change: dict[str, Any], name: str | None, reason: str) -> None:
    found = fitness.recommendation(replace(DESKTOP, **change))
    about = found.as_dict()
    assert about["name"] == name and reason in found.why and "\n" not in found.why
    if found.model is not None:
        assert about["size"] == found.model.asset.size and about["memory"] and about["licence"].startswith("Apache-2.0")


def test_what_could_not_be_pulled_is_not_recommended_again() -> None:
    found = fitness.recommendation(DESKTOP, skip={"chat-qwen3-4b"})
    assert found.model is not None and found.model.asset.name == "chat"
    assert fitness.recommendation(DESKTOP, skip=set(CHAT_MODELS)).model is None


def test_the_extra_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitness, "find_spec", lambda name: None)
    assert fitness.recommendation(DESKTOP).obstacle == "pip install 'reachy-mind[agents]'"


def test_this_machine_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Machine.here(tmp_path / "not" / "yet")
    assert 0 < here.free_memory <= here.memory and here.cores > 0 and here.free_disk > 0
    monkeypatch.setattr(machine, "CGROUPS", tmp_path)
    monkeypatch.setattr(machine, "OWN_CGROUPS", tmp_path / "groups")
    limit = tmp_path / "memory.max"
    limit.write_text("123456\n")
    assert Machine.here(tmp_path).memory == 123456
    limit.write_text("max\n")
    assert Machine.here(tmp_path).memory == here.memory


@pytest.mark.parametrize(
    ("group", "limit"),
    [("0::/mind.service", "mind.service/memory.max"), ("4:cpu,memory:/m", "memory/m/memory.limit_in_bytes")],
)
def test_the_limit_of_a_service_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: str, limit: str) -> None:
    (tmp_path / limit).parent.mkdir(parents=True)
    (tmp_path / limit).write_text(str(1 << 30))
    (tmp_path / "groups").write_text(f"7:devices:/else\n{group}\n")
    monkeypatch.setattr(machine, "CGROUPS", tmp_path)
    monkeypatch.setattr(machine, "OWN_CGROUPS", tmp_path / "groups")
    assert Machine.here(tmp_path).memory == 1 << 30
    assert machine.has_little_memory()


def test_the_setting_offers_every_chat_model() -> None:
    offered = typing.get_args(ModelsSettings.model_fields["chat"].annotation)
    assert offered == ("auto", *CHAT_MODELS)


@pytest.fixture
def pulled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Configuration]:
    """A configuration in whose models folder these have been pulled, on a desktop."""
    monkeypatch.setenv("REACHY_MIND_MODELS__FOLDER", str(tmp_path / "models"))
    monkeypatch.setattr(Machine, "here", lambda _: DESKTOP)

    def make(*names: str, wanted: str = "auto") -> Configuration:
        configuration = load(flags={"models.chat": wanted})
        for name in names:
            folder = configuration.models_folder / name
            folder.mkdir(parents=True)
            if CHAT_MODELS[name].asset.hub_file is not None:
                pins.write(configuration.models_folder, name, Pin("0" * 64, 5, "the hub"))
            Manifest(Store(configuration.models_folder).asset(name).edition, {}).write(folder)
            (folder / f"{name}.gguf").touch()
        return configuration

    return make


def test_auto_takes_the_best_pulled_one_that_fits(
    pulled: Callable[..., Configuration], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert chosen_chat_model(pulled()) is None
    assert chosen_chat_model(pulled("chat")).name == "chat"  # type: ignore[union-attr]
    configuration = pulled("chat-qwen2.5-3b", "chat-gemma3-4b")
    assert chosen_chat_model(configuration).name == "chat-gemma3-4b"  # type: ignore[union-attr]
    assert llama.Llama.of(configuration).name == "chat-gemma3-4b"
    monkeypatch.setattr(Machine, "here", lambda _: replace(DESKTOP, cores=4))
    assert chosen_chat_model(configuration).name == "chat-qwen2.5-3b"  # type: ignore[union-attr]
    monkeypatch.setattr(Machine, "here", lambda _: replace(DESKTOP, memory=GB))
    assert chosen_chat_model(configuration).name == "chat", "better than none"  # type: ignore[union-attr]


def test_a_named_one_is_taken_or_has_to_be_pulled(pulled: Callable[..., Configuration]) -> None:
    configuration = pulled("chat", "chat-qwen3-4b", wanted="chat")
    assert chosen_chat_model(configuration).name == "chat"  # type: ignore[union-attr]
    configuration = pulled(wanted="chat-llama3.2-3b")
    assert chosen_chat_model(configuration) is None
    with pytest.raises(AssetError) as missing:
        llama.Llama.of(configuration)
    assert missing.value.hint == "reachy-mind models pull chat-llama3.2-3b"
