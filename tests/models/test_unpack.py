"""Archives that try to write where they should not, and archives that are not what the catalogue expects."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import stat
import tarfile
import zipfile

import pytest

from reachy_mind.errors import AssetError, HashMismatch
from reachy_mind.models.assets import Join, LocalFile, Part, Untar, Unzip
from reachy_mind.models.catalogue import CATALOGUE
from reachy_mind.models.store import Store


@pytest.fixture
def pull(folder, asset_of, tmp_path):
    """Pull an asset whose one part is `content`, from a local file."""

    async def pull(content, **changes):
        file = tmp_path / "source.zip"
        file.write_bytes(content)
        asset = asset_of(content, LocalFile(str(file)), **changes)
        return await Store(folder, {"tiny": asset}).pull("tiny")

    return pull


@pytest.mark.parametrize("name", ["../../escaped", "{outside}/escaped", "..\\escaped", "deep/../../escaped", "."])
async def test_a_name_that_leaves_the_folder_is_refused(pull, zipped, folder, tmp_path, name):
    name = "data/" + name.format(outside=tmp_path)
    with pytest.raises(AssetError, match="would land outside its folder"):
        await pull(zipped({"data/ok.txt": b"ok", name: b"evil"}))
    assert list(tmp_path.rglob("*escaped*")) == []
    assert not (folder / "tiny").exists()


async def test_a_symbolic_link_is_refused(pull, folder):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("data/link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(AssetError, match="symbolic link: data/link"):
        await pull(buffer.getvalue())
    assert not (folder / "tiny").exists()


@pytest.mark.parametrize("second", ["data/.manifest.json", "data/./a.txt"])
async def test_no_file_of_an_archive_takes_the_place_of_another(pull, zipped, folder, second):
    with pytest.raises(AssetError, match="File exists"):
        await pull(zipped({"data/a.txt": b"first", second: b"second"}))
    assert not (folder / "tiny").exists()


async def test_something_that_is_no_archive_is_named(pull):
    with pytest.raises(AssetError, match=r"source\.zip can't be unpacked"):
        await pull(b"this is not a zip file")


def damaged(content, at=10):
    """The archive, with the compressed bytes of its first member overwritten."""
    start = content.index(b"data/a.txt") + len(b"data/a.txt") + at
    return content[:start] + b"\xff" * 20 + content[start + 20 :]


def with_password(content):
    """The archive, with the flag that its members are encrypted."""
    changed = bytearray(content)
    for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        changed[content.index(signature) + flags] |= 1
    return bytes(changed)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("harmed", [damaged, with_password])
async def test_a_damaged_or_encrypted_archive_is_named(pull, folder, method, harmed):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("data/a.txt", b"some words that compress well, " * 50)
    with pytest.raises(AssetError, match=r"source\.zip can't be unpacked"):
        await pull(harmed(buffer.getvalue()))
    assert not (folder / "tiny").exists()


async def test_an_archive_that_grows_beyond_the_catalogues_size_is_refused_before_it_is_unpacked(pull, folder):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data/zeros", b"\0" * 30_000_000)
    with pytest.raises(AssetError, match="would take 30 MB, not 2 at most"):
        await pull(buffer.getvalue(), unpacked_size=1_000_000)
    assert not list(folder.rglob("zeros"))


async def test_a_rule_that_finds_nothing_is_an_error(pull, zipped, folder):
    with pytest.raises(AssetError, match=r"matches data/\*"):
        await pull(zipped({"elsewhere/a.txt": b"a"}))
    assert not (folder / "tiny").exists()


def tarred(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for member, content in members:
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def linked(name: str, target: str, kind: bytes) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


@pytest.mark.parametrize(
    ("member", "said"),
    [
        (tarfile.TarInfo("data/../../escaped"), "would land outside its folder"),
        (tarfile.TarInfo("data//etc/escaped"), "would land outside its folder"),
        (linked("data/link", "/etc/passwd", tarfile.SYMTYPE), "symbolic link: data/link"),
        (linked("data/hard", "data/a.txt", tarfile.LNKTYPE), "symbolic link: data/hard"),
        (linked("data/device", "", tarfile.CHRTYPE), "symbolic link: data/device"),
    ],
)
async def test_a_tarball_that_reaches_out_of_the_folder_is_refused(pull, folder, tmp_path, member, said):
    archive = tarred((tarfile.TarInfo("data/a.txt"), b"first"), (member, b""))
    with pytest.raises(AssetError, match=said):
        await pull(archive, layout=(Untar("data/*", strip="data/"),))
    assert not (folder / "tiny").exists()
    assert list(tmp_path.rglob("*escaped*")) == []


async def test_a_damaged_or_too_large_tarball_is_named(pull, folder, noise):
    layout = (Untar("data/*", strip="data/"),)
    whole = tarred((tarfile.TarInfo("data/a.bin"), noise(100_000)))
    for content in (b"no tarball at all", whole[: len(whole) // 2], whole[:5] + whole[6:]):
        with pytest.raises(AssetError, match=r"source\.zip can't be unpacked"):
            await pull(content, layout=layout)
    with pytest.raises(AssetError, match="would take more than 2 MB"):
        await pull(tarred((tarfile.TarInfo("data/zeros"), bytes(5_000_000))), layout=layout, unpacked_size=1_000_000)
    with pytest.raises(AssetError, match=r"nothing in source\.zip matches other/\*"):
        await pull(whole, layout=(Untar("other/*"),))
    assert not (folder / "tiny").exists()


async def test_one_member_of_each_archive_is_joined(folder, asset_of, zipped, tmp_path):
    pieces, parts = [b"first ", b"second ", b"third"], []
    for number, piece in enumerate(pieces):
        wheel = zipped({f"pack{number}/blob.bin": piece, f"pack{number}/__init__.py": b""})
        file = tmp_path / f"{number}.whl"
        file.write_bytes(wheel)
        parts.append(Part(file.name, hashlib.sha256(wheel).hexdigest(), len(wheel), (LocalFile(str(file)),)))
    right = hashlib.sha256(b"".join(pieces)).hexdigest()
    asset = asset_of(b"", parts=tuple(parts), layout=(Join("model.bin", right, member="*.bin"),))
    path = await Store(folder, {"tiny": asset}).pull("tiny")
    assert (path / "model.bin").read_bytes() == b"first second third"

    wrong = dataclasses.replace(asset, layout=(Join("model.bin", "0" * 64, member="*.bin"),))
    with pytest.raises(HashMismatch, match=f"expected sha256 {'0' * 64}, got {right}"):
        await Store(folder, {"tiny": wrong}).pull("tiny")
    unclear = dataclasses.replace(asset, layout=(Join("model.bin", right, member="*"),))
    with pytest.raises(AssetError, match="2 members that match"):
        await Store(folder, {"tiny": unclear}).pull("tiny")


def test_every_catalogue_entry_is_complete_and_can_be_stored():
    for name, asset in CATALOGUE.items():
        assert asset.name == name
        assert name not in ("incoming", "downloads", "pins", "measured"), "the store keeps its own things there"
        assert asset.licence
        assert asset.licence_url.startswith("https://")
        assert asset.unpacked_size > 0
        assert asset.layout
        for part in asset.parts:
            assert len(bytes.fromhex(part.sha256)) == (32 if asset.hub_file is None else 0), "the hub states it"
            assert part.size > 0
            assert part.sources
            assert not {"pip", "npm", "unpacked", "old"} & {part.filename}, "the store keeps its own things there"


async def test_the_real_robot_description_has_what_the_simulator_needs(robot_description):
    store, name = robot_description
    assert (await store.verify(name)).intact
    path = store.path(name)
    for file in ("mjcf/reachy_mini.xml", "mjcf/scenes/empty.xml", "urdf/robot.urdf", "kinematics_data.json", "LICENSE"):
        assert (path / file).is_file()
    assert not [p for p in path.rglob("*") if p.suffix in (".part", ".bak", ".py")]
    unpacked = sum(p.stat().st_size for p in path.rglob("*") if p.is_file() and p.name != ".manifest.json")
    assert unpacked == store.asset(name).unpacked_size


async def test_a_rule_may_be_for_some_of_the_parts(folder, zipped, tmp_path):
    """Parts of different kinds: two halves of a file, a wheel, and a tarball of npm."""
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w:gz") as archive:
        member = tarfile.TarInfo("package/voices/af_one.bin")
        member.size = 3
        archive.addfile(member, io.BytesIO(b"one"))
    contents = {
        "half_1.whl": zipped({"half_1/part.bin": b"be"}),
        "half_2.whl": zipped({"half_2/part.bin": b"gin"}),
        "words.whl": zipped({"words/data/list.txt": b"words", "words/part.bin": b"not of the halves"}),
        "voices.tgz": tar.getvalue(),
    }
    parts = []
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        parts.append(Part(name, digest, len(content), (LocalFile(str(tmp_path / name)),)))
    whole = hashlib.sha256(b"begin").hexdigest()
    asset = dataclasses.replace(
        CATALOGUE["kokoro-voice"],
        parts=tuple(parts),
        layout=(
            Join("model.onnx", whole, member="*/part.bin", parts="half_*"),
            Unzip("words/data/*", strip="words/data/", parts="words.whl"),
            Untar("package/voices/*", strip="package/", parts="voices.tgz"),
        ),
    )
    place = await Store(folder, {"mixed": dataclasses.replace(asset, name="mixed")}).pull("mixed")
    assert (place / "model.onnx").read_bytes() == b"begin"
    assert (place / "list.txt").read_bytes() == b"words"
    assert (place / "voices" / "af_one.bin").read_bytes() == b"one"
    other = dataclasses.replace(asset, layout=(dataclasses.replace(asset.layout[0], parts="*"), *asset.layout[1:]))
    assert other.edition != asset.edition, "another choice of parts is another content"
