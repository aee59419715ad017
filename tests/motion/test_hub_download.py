"""Downloads of moves from the Hugging Face Hub, also from a server that misbehaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.errors import AssetError, InvalidParameter, NotReady
from reachy_mind.motion import clips, datasets, hub_download
from reachy_mind.motion.hub_download import pull_dataset
from reachy_mind.motion.move_format import encode
from reachy_mind.motion.moves import Frames
from tests.fakes.hub import Hub, Request, cut_short, endless, node, redirected, status

DATASET = "some-org/some-moves"


def move(yaw: float = 0.3, description: str = "", count: int = 5) -> bytes:
    return encode(Frames([AWAKE.blend(Pose(yaw=yaw), i / count).as_tuple for i in range(count + 1)]), description)


@pytest.fixture
def server() -> Iterator[Hub]:
    with Hub(DATASET) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "moves" / "some-moves"


def files(folder: Path) -> list[str]:
    """All there is, hidden ones too, but for the lock."""
    return sorted(str(f.relative_to(folder)) for f in folder.rglob("*") if f.name != ".pull.lock")


async def test_moves_and_their_sounds_arrive(server: Hub, folder: Path) -> None:
    """From the top and from data/, over several pages; what is neither a move nor a sound stays where it is."""
    server.files = {
        "README.md": b"# moves",
        "nod.json": move(description="yes"),
        "nod.wav": b"RIFF",
        "lonely.mp3": b"no move",
        "data/turn.json": move(0.5, count=50),
        "data/turn.ogg": b"small",
        "data/turn.wav": b"R" * 9000,
        "videos/shake.json": move(),
        "a.json": move(),
        "b.json": move(),
    }
    told: list[tuple[str, int, int]] = []
    pulled = await pull_dataset(DATASET, folder, endpoint=server.url, report=lambda *what: told.append(what))
    assert sorted(pulled.names) == ["a", "b", "nod", "turn"] and pulled.refused == [] and not pulled.from_cache
    assert files(folder) == ["a.json", "b.json", "nod.json", "nod.wav", "turn.json", "turn.wav"]
    assert clips.read(folder / "nod.json").description == "yes"
    sound = clips.read(folder / "turn.json").sound
    assert sound is not None and sound.read_bytes() == b"R" * 9000
    assert [(done, of) for _, done, of in told] == [(1, 4), (2, 4), (3, 4), (4, 4)]


async def test_what_is_here_already_is_not_fetched_again(server: Hub, folder: Path) -> None:
    server.files = {
        "nod.json": move(),
        "nod.wav": b"RIFF",
        "turn.json": move(0.2, count=60),
        "shake.json": move(description="old"),
    }
    await pull_dataset(DATASET, folder, endpoint=server.url)
    server.asked.clear()
    server.files["shake.json"] = move(description="new")  # of the same length
    del server.files["nod.wav"]
    pulled = await pull_dataset(DATASET, folder, endpoint=server.url)
    assert sorted(pulled.names) == ["nod", "shake", "turn"] and pulled.unchanged == ["turn"]
    assert server.fetched == ["nod.json", "shake.json"]
    assert clips.read(folder / "shake.json").description == "new"
    assert clips.read(folder / "nod.json").sound is None


async def test_one_bad_file_does_not_spoil_the_rest(server: Hub, folder: Path) -> None:
    good = move()
    bad = {
        "broken.json": b"{",
        "nan.json": good.replace(b'"body_yaw":0.0', b'"body_yaw":NaN'),
        "my move.json": good,
        ".hidden.json": good,
        "CON.json": good,
        "nod.json": good,
        "data/nod.json": move(0.1),
    }
    server.files = bad | {"missing.json": good, "cut.json": good, "more.json": good, "last.json": good}
    server.manners = {"missing.json": status(500), "cut.json": cut_short(good), "more.json": endless}
    pulled = await pull_dataset(DATASET, folder, endpoint=server.url)
    assert pulled.names == ["nod", "last"]
    assert files(folder) == ["last.json", "nod.json"] and clips.read(folder / "nod.json").name == "nod"
    reasons = dict(pulled.refused)
    assert "is not JSON" in reasons["broken"] and str(folder) not in reasons["broken"]
    assert "no finite number" in reasons["nan"]
    assert "can't be called" in reasons["my move.json"] and "can't be called" in reasons["CON.json"]
    assert ".hidden.json" in reasons and "has this name" in reasons["data/nod.json"]
    assert "500" in reasons["missing"] and "did not send it" in reasons["cut"]
    assert "more than the" in reasons["more"]


async def test_a_path_never_leads_out_of_the_folder(server: Hub, folder: Path, tmp_path: Path) -> None:
    good = move()
    evil = [
        "../evil.json",
        "data/../../evil.json",
        "/etc/evil.json",
        "..\\evil.json",
        "data/..%2fevil.json",
        "\x1b[2J.json",
    ]
    server.listed = [node(path, good) for path in [*evil, "../nod.wav", "nod.json/../../x.json"]]
    server.files = {"nod.json": good}
    for path in evil:
        server.manners[path] = lambda request: request.send(good)
    pulled = await pull_dataset(DATASET, folder, endpoint=server.url)
    assert pulled.names == ["nod"] and files(folder) == ["nod.json"]
    assert files(tmp_path) == ["moves", "moves/some-moves", "moves/some-moves/nod.json"]
    assert {"../evil.json", "data/../../evil.json", "..\\evil.json"} <= {name for name, _ in pulled.refused}
    assert all(name.isprintable() for name, _ in pulled.refused)
    assert server.fetched == ["nod.json"]


@pytest.mark.parametrize(
    ("lie", "said"),
    [
        ({"size": 10}, "more than the 10 bytes"),
        ({"size": 10**6}, "not the 1000000"),
        ({"size": 10**12}, "more than 64"),
        ({"oid": "f" * 40}, "hash differs"),
        ({"lfs": {"oid": "f" * 64, "size": len(move()), "pointerSize": 1}}, "hash differs"),
    ],
)
async def test_lies_about_a_file_are_found_out(server: Hub, folder: Path, lie: dict[str, object], said: str) -> None:
    server.listed = [node("nod.json", move(), **lie), node("honest.json", move())]
    server.manners["honest.json"] = lambda request: request.send(move())
    server.manners["nod.json"] = lambda request: request.send(move())
    pulled = await pull_dataset(DATASET, folder, endpoint=server.url)
    assert pulled.names == ["honest"] and said in dict(pulled.refused)["nod"]
    assert files(folder) == ["honest.json"]


async def test_entries_that_are_none_are_passed_over(server: Hub, folder: Path) -> None:
    odd = [None, 7, {}, {"type": "file"}, {"type": "file", "path": 3}, {"type": "file", "path": "x.json", "size": -1}]
    server.listed = odd  # type: ignore[assignment]
    server.files = {"nod.json": move()}
    assert (await pull_dataset(DATASET, folder, endpoint=server.url)).names == ["nod"]


async def test_a_bad_sound_costs_only_the_sound(server: Hub, folder: Path) -> None:
    server.files = {"nod.json": move(), "nod.wav": b"RIFF"}
    server.manners["nod.wav"] = status(503)
    pulled = await pull_dataset(DATASET, folder, endpoint=server.url)
    assert pulled.names == ["nod"] and pulled.refused[0][0] == "nod.wav"
    assert clips.read(folder / "nod.json").sound is None


TREE = f"/api/datasets/{DATASET}/tree/main"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (status(500), "500"),
        (status(404), "there is no dataset"),
        (status(401), "no access"),
        (endless, "without end"),
        (lambda request: request.send(b"<html>"), "does not answer as"),
        (lambda request: request.send(b"[" * 200_000), "does not answer as"),
        (lambda request: request.send(b'{"error": 1}'), "does not answer as"),
        (lambda request: request.send(b"[]", Link=f'<{request.path}>; rel="next"'), "more files than"),
        (lambda request: request.send(b"[]", Link='<http://127.0.0.1:1/steal>; rel="next"'), "another host"),
        (cut_short(b"[]" * 100), "can't be reached"),
        (lambda request: request.send(b"", 302, Location=request.path), "can't be reached"),
    ],
)
async def test_a_list_that_is_none_is_an_error_with_a_reason(
    server: Hub, folder: Path, answer: object, said: str
) -> None:
    server.manners[TREE] = answer  # type: ignore[assignment]
    with pytest.raises(AssetError, match=said):
        await pull_dataset(DATASET, folder, endpoint=server.url)
    assert files(folder) == []


async def test_without_a_network_it_says_so(folder: Path) -> None:
    for endpoint in ("http://127.0.0.1:1", "ftp://127.0.0.1", "nonsense", "http://[::bad"):
        with pytest.raises(AssetError, match="can't be reached") as failed:
            await pull_dataset(DATASET, folder, endpoint=endpoint)
        assert "network" in failed.value.hint


async def test_a_hub_that_goes_away_is_not_asked_for_every_file(server: Hub, folder: Path) -> None:
    server.files = {f"{name}.json": move() for name in "abcdefgh"}
    for path in list(server.files)[1:]:
        server.manners[path] = cut_short(move())
    with pytest.raises(AssetError, match="stopped answering; 1 moves are here"):
        await pull_dataset(DATASET, folder, endpoint=server.url)
    assert files(folder) == ["a.json"]
    assert set(server.fetched) == {"a.json", "b.json", "c.json", "d.json"}


async def test_a_pull_that_is_cancelled_leaves_whole_moves_only(server: Hub, folder: Path) -> None:
    reached, loop = asyncio.Event(), asyncio.get_running_loop()

    def stall(request: Request) -> None:
        request.send_response(200)
        request.end_headers()
        request.wfile.write(move()[:50])
        request.wfile.flush()
        loop.call_soon_threadsafe(reached.set)
        request.rfile.read(1)  # until the other side hangs up

    server.files = {"a.json": move(), "b.json": move()}
    server.manners["b.json"] = stall
    pulling = asyncio.create_task(pull_dataset(DATASET, folder, endpoint=server.url))
    await reached.wait()
    with pytest.raises(NotReady, match="already"):
        await pull_dataset(DATASET, folder, endpoint=server.url)
    pulling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await pulling
    assert files(folder) == ["a.json"]


async def test_what_a_killed_pull_left_is_cleared_away(server: Hub, folder: Path) -> None:
    (folder / ".pull").mkdir(parents=True)
    (folder / ".pull" / "half.json").write_bytes(b"{")
    server.files = {"a.json": move()}
    await pull_dataset(DATASET, folder, endpoint=server.url)
    assert files(folder) == ["a.json"]


async def test_a_token_goes_to_the_hub_and_nowhere_else(server: Hub, folder: Path) -> None:
    with Hub(DATASET) as elsewhere:
        elsewhere.manners["/steal"] = lambda request: request.send(move())
        server.files = {"nod.json": move()}
        server.manners["nod.json"] = redirected(elsewhere.url.replace("127.0.0.1", "localhost") + "/steal")
        pulled = await pull_dataset(DATASET, folder, endpoint=server.url, token="secret")  # noqa: S106
        assert pulled.names == ["nod"]
        assert {header for _, header in server.asked} == {"Bearer secret"}
        assert [header for _, header in elsewhere.asked] == [""]


@pytest.mark.parametrize(
    "name", ["", "moves", "a/b/c", "../x", "a/..", "a/.git", "a b/c", "a/b?x=1", "a/b#", "a--b/c", "é/x"]
)
async def test_a_name_that_is_no_dataset_is_refused(server: Hub, folder: Path, name: str) -> None:
    with pytest.raises(InvalidParameter, match="no dataset"):
        await pull_dataset(name, folder, endpoint=server.url)
    assert server.asked == []


async def test_bounds_of_a_whole_dataset(server: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_download, "MAX_DATASET_BYTES", len(move()) * 2)
    monkeypatch.setattr(hub_download, "MAX_MOVES", 3)
    server.files = {f"{name}.json": move() for name in "abcd"}
    pulled = await pull_dataset(DATASET, folder, endpoint=server.url)
    assert pulled.names == ["a", "b"]
    reasons = dict(pulled.refused)
    assert "MiB" in reasons["c"] and "more than 3 moves" in reasons["d.json"]


async def test_a_file_that_trickles_in_is_given_up(server: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets, "FILE_TIMEOUT_S", 0.3)

    def trickle(request: Request) -> None:
        request.send_response(200)
        request.end_headers()
        request.wfile.flush()
        request.rfile.read(1)  # until the other side hangs up

    server.files = {"slow.json": move()}
    server.manners["slow.json"] = trickle
    pulled = await pull_dataset(DATASET, folder, endpoint=server.url)
    assert "took more than" in dict(pulled.refused)["slow"]


# The cache


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A Hugging Face cache with the dataset, as its own programs lay it out."""
    root = tmp_path / "huggingface" / "hub" / "datasets--some-org--some-moves"
    snapshot = root / "snapshots" / ("a1" * 20)
    (root / "blobs").mkdir(parents=True)
    (snapshot / "data").mkdir(parents=True)
    (root / "refs").mkdir()
    (root / "refs" / "main").write_text("a1" * 20)
    for number, (path, content) in enumerate(
        {"nod.json": move(), "nod.wav": b"RIFF", "data/turn.json": move(1)}.items()
    ):
        (root / "blobs" / str(number)).write_bytes(content)
        (snapshot / path).symlink_to(root / "blobs" / str(number))
    return tmp_path / "huggingface"


async def test_a_cached_dataset_needs_no_network(cache: Path, folder: Path) -> None:
    pulled = await pull_dataset(DATASET, folder, endpoint="http://127.0.0.1:1", cache=cache)
    assert pulled.names == ["nod", "turn"] and pulled.from_cache
    assert files(folder) == ["nod.json", "nod.wav", "turn.json"]
    assert not any((folder / name).is_symlink() for name in files(folder))
    again = await pull_dataset(DATASET, folder, endpoint="http://127.0.0.1:1", cache=cache)
    assert again.unchanged == ["nod", "turn"]


async def test_a_link_out_of_the_cache_is_not_followed(cache: Path, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_bytes(move())
    snapshot = cache / "hub" / "datasets--some-org--some-moves" / "snapshots" / ("a1" * 20)
    (snapshot / "secret.json").symlink_to(tmp_path / "secret.json")
    pulled = await pull_dataset(DATASET, folder, endpoint="http://127.0.0.1:1", cache=cache)
    assert pulled.names == ["nod", "turn"]


@pytest.mark.parametrize("revision", ["", "../../..", "b2" * 20, "x/y"])
async def test_without_a_snapshot_the_hub_is_asked(cache: Path, folder: Path, server: Hub, revision: str) -> None:
    (cache / "hub" / "datasets--some-org--some-moves" / "refs" / "main").write_text(revision)
    server.files = {"fresh.json": move()}
    pulled = await pull_dataset(DATASET, folder, endpoint=server.url, cache=cache)
    assert pulled.names == ["fresh"] and not pulled.from_cache


def test_the_fake_describes_files_as_git_does() -> None:
    assert json.loads(json.dumps(node("a", b"hello\n")))["oid"] == "ce013625030ba8dba906f756967f9e9ca394464a"
