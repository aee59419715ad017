from __future__ import annotations

import json
from pathlib import Path

import pytest

from reachy_mind.config import configuration as configuration_module
from reachy_mind.config.keys import FIELDS
from reachy_mind.config.settings import Settings
from reachy_mind.errors import ConfigError


def load(tmp_path: Path, environ: dict[str, str] | None = None, **given: object) -> configuration_module.Configuration:
    environ = {"REACHY_MIND_HOME": str(tmp_path / "home")} | (environ or {})
    return configuration_module.load(environ=environ, folder=tmp_path, **given)  # type: ignore[arg-type]


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "home" / "config.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


def test_each_source_beats_the_one_before_and_the_origin_is_told(tmp_path: Path) -> None:
    assert load(tmp_path).settings.server.port == 8642
    file = write(tmp_path, "server: {port: 1001}")
    from_yaml = load(tmp_path)
    assert (from_yaml.settings.server.port, from_yaml.origins["server.port"]) == (1001, str(file))
    (tmp_path / ".env").write_text("REACHY_MIND_SERVER__PORT=1002\n")
    assert load(tmp_path).settings.server.port == 1002
    from_environment = load(tmp_path, {"REACHY_MIND_SERVER__PORT": "1003"})
    assert from_environment.settings.server.port == 1003
    assert from_environment.origins["server.port"] == "environment REACHY_MIND_SERVER__PORT"
    from_flag = load(tmp_path, {"REACHY_MIND_SERVER__PORT": "1003"}, flags={"server.port": 1004})
    assert (from_flag.settings.server.port, from_flag.origins["server.port"]) == (1004, "command line")


@pytest.mark.parametrize(
    "line",
    ["REACHY_MIND_SERVER__REQUIRE_TOKEN: true", "REACHY_MIND_SERVER__REQUIRE_TOKEN", "REACHY_MIND_SERVER__TLS='on"],
)
def test_a_line_of_ours_in_dotenv_that_sets_nothing_is_refused(tmp_path: Path, line: str) -> None:
    """`require_token` must not be off because of a colon."""
    (tmp_path / ".env").write_text(f"OF_ANOTHER_PROGRAM: yes\n# REACHY_MIND_LOG__LEVEL\n{line}\n")
    with pytest.raises(ConfigError, match=r"\.env:3: this line sets nothing"):
        load(tmp_path)
    (tmp_path / ".env").write_text("OF_ANOTHER_PROGRAM: yes\n# REACHY_MIND_LOG__LEVEL\nREACHY_MIND_SERVER__PORT=1002\n")
    assert load(tmp_path).settings.server.port == 1002


def test_a_flag_that_was_not_given_changes_nothing(tmp_path: Path) -> None:
    assert load(tmp_path, flags={"server.port": None}).origins == {}


@pytest.mark.parametrize("name", sorted(configuration_module.ALIASES))
def test_every_documented_alias_sets_its_key(tmp_path: Path, name: str) -> None:
    valid = {"CONTROL_PLANE_URL": "wss://x/ws", "AUDIO_SAMPLE_RATE": "24000", "AUDIO_CHANNELS": "2"}
    valid |= {"OPENAI_BASE_URL": "http://localhost:11434/v1", "FLEET_URL": "https://fleet.home:8700"}
    value = (valid | {"SEARXNG_URL": "http://searx.home:8080"}).get(name, "value")
    configuration = load(tmp_path, {name: value})
    also = {"realtime.model": f"environment {name}"} if name == "MODEL_NAME" else {}
    assert configuration.origins == {configuration_module.ALIASES[name]: f"environment {name}"} | also


def test_our_own_variable_beats_an_alias(tmp_path: Path) -> None:
    both = {"MODEL_NAME": "a", "REACHY_MIND_OPENAI__MODEL": "b"}
    settings = load(tmp_path, both).settings
    assert (settings.openai.model, settings.realtime.model) == ("b", "a"), "MODEL_NAME is also the realtime model"
    both |= {"REACHY_MIND_REALTIME__MODEL": "c"}
    assert load(tmp_path, both).settings.realtime.model == "c"


def test_names_and_values_are_json_in_a_variable_and_a_section_in_a_file(tmp_path: Path) -> None:
    options = {"model": "nova-2", "settings": {"smart": True}}
    (tmp_path / ".env").write_text(f"REACHY_MIND_SPEECH__EARS_OPTIONS={json.dumps(options)}\n")
    write(tmp_path, "speech: {voice_options: {voice: amy}}")
    speech = load(tmp_path).settings.speech
    assert (speech.ears_options, speech.voice_options) == (options, {"voice": "amy"})


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("server: {port: many}", ["server.port", "'many'", "config.yaml", "a whole number, at least 1, at most 65535"]),
        ("server: {port: 0}", ["server.port", "config.yaml", "at least 1"]),
        ("robot: {scene: moon}", ["robot.scene", "one of empty, table"]),
        ("robot: {scen: table}", ["robot.scen", "config.yaml", "did you mean robot.scene?"]),
        ("robots: {scene: table}", ["robots", "config.yaml", "did you mean robot?"]),
        ("robot: sim", ["robot", "config.yaml"]),
        ("- a list", ["config.yaml", "sections"]),
        ("robot: {scene: [", ["config.yaml", "can't be read"]),
        ("server: {require_token: true}\nserver: {port: 8643}", ["config.yaml", "'server' stands there twice"]),
        ("server:\n  require_token: true\n  require_token: false", ["config.yaml", "'require_token' stands", "line 3"]),
    ],
)
def test_a_wrong_file_names_key_place_and_what_is_allowed(tmp_path: Path, text: str, names: list[str]) -> None:
    write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load(tmp_path)
    told = f"{caught.value.message} | {caught.value.hint}"
    assert all(name in told for name in names), told


@pytest.mark.parametrize(
    ("environ", "names"),
    [
        ({"REACHY_MIND_SERVER_PORT": "1"}, ["REACHY_MIND_SERVER_PORT", "did you mean REACHY_MIND_SERVER__PORT?"]),
        ({"AUDIO_CHANNELS": "zero"}, ["audio.channels", "AUDIO_CHANNELS", "whole number"]),
        ({"REACHY_MIND_CONFIG": "/no/such/file"}, ["/no/such/file"]),
        ({"REACHY_MIND_ROBOT__ADDRESS": "a b"}, ["robot.address", "HOST[:PORT]"]),
        ({"REACHY_MIND_SPEECH__EARS_OPTIONS": "{model}"}, ["speech.ears_options", "{model}", "a JSON object"]),
        ({"REACHY_MIND_SPEECH__EARS_OPTIONS": "[1]"}, ["speech.ears_options", "a JSON object"]),
    ],
)
def test_a_wrong_variable_is_named(tmp_path: Path, environ: dict[str, str], names: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, environ)
    told = f"{caught.value.message} | {caught.value.hint}"
    assert all(name in told for name in names), told


def test_secrets_are_shown_masked_and_never_in_errors(tmp_path: Path) -> None:
    configuration = load(tmp_path, {"OPENAI_API_KEY": "sk-very-secret"})
    assert "sk-very-secret" not in str(list(configuration.rows()))
    assert configuration.secrets() == {"sk-very-secret"}
    write(tmp_path, "openai: {api_key: [sk-other-secret]}")
    with pytest.raises(ConfigError) as caught:
        load(tmp_path)
    assert "sk-other-secret" not in str(caught.value.as_dict())


def test_env_example_in_the_repository_is_what_the_settings_say() -> None:
    file = Path(__file__).parents[2] / ".env.example"
    assert file.read_text() == configuration_module.env_example(), "run: reachy-mind config example > .env.example"


def test_env_example_loads_when_uncommented(tmp_path: Path) -> None:
    lines = [line[1:] for line in configuration_module.env_example().splitlines() if line.startswith("#REACHY_MIND")]
    assert len(lines) == len(FIELDS)
    (tmp_path / ".env").write_text("\n".join(lines))
    assert load(tmp_path).settings == Settings()


def test_a_configuration_is_never_ignored_in_silence(tmp_path: Path) -> None:
    """`require_token: true` in a file that can't be read must not become false."""
    file = write(tmp_path, "server: {require_token: true}")
    assert load(tmp_path).settings.server.require_token
    file.chmod(0o666)
    with pytest.raises(ConfigError, match=r"config\.yaml can be written by everybody"):
        load(tmp_path)
    file.chmod(0o600)
    moved = file.rename(tmp_path / "elsewhere.yaml")
    file.symlink_to(moved)
    assert load(tmp_path).settings.server.require_token, "a link to the file is the file"
    moved.unlink()
    with pytest.raises(ConfigError, match=r"config\.yaml is a link to .*elsewhere\.yaml, which is not there"):
        load(tmp_path)
    for named in (None, file):
        file.unlink()
        file.mkdir()
        with pytest.raises(ConfigError, match="is a directory") as error:
            load(tmp_path, config_file=named)
        assert error.value.hint
        file.rmdir()
        file.touch()


def test_a_dotenv_that_leads_nowhere_is_refused_and_a_folder_of_that_name_is_none(tmp_path: Path) -> None:
    dotenv = tmp_path / ".env"
    dotenv.symlink_to(tmp_path / "gone")
    with pytest.raises(ConfigError, match=r"\.env is a link"):
        load(tmp_path)
    dotenv.unlink()
    dotenv.mkdir()
    assert load(tmp_path).settings.server.port == 8642, "a virtual environment may be called .env"
    dotenv.rmdir()
    dotenv.write_text("REACHY_MIND_SERVER__PORT=1002\n")
    dotenv.chmod(0o666)
    with pytest.raises(ConfigError, match="written by everybody"):
        load(tmp_path)
