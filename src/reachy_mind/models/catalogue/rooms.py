"""Catalogue: measured rooms, in which the benchmarks let people speak."""

from __future__ import annotations

from reachy_mind.models.assets import Asset, HubFile, LocalFile, Part, Untar

_FILE = "acoustics-0.2.6.tar.gz"
_DATA = "acoustics-0.2.6/tests/data/"

MEASURED_ROOM = Asset(
    name="measured-room",
    task="benchmarks",
    summary="Impulse response of a living room, measured for the Open AIR Library (University of York)",
    licence="Public domain (as the package acoustics, which brings it, states)",
    licence_url="https://creativecommons.org/publicdomain/mark/1.0/",
    parts=(
        Part(
            _FILE,
            "d02bcc84251cfa2edd3e21c7f885dd963f8e8c587f975c2f9d4e1d9b142bcc52",
            3_476_036,
            (
                LocalFile(_FILE),
                # pip would build it: only its source distribution has the sound
                HubFile(
                    "https://files.pythonhosted.org/packages/28/55/"
                    f"6039f24c69f2c3fcdb9ca1655a28fe9bd66a698479fc12e79e8dcd9efd1f/{_FILE}"
                ),
            ),
        ),
    ),
    layout=(Untar(f"{_DATA}living_room_1.wav", strip=_DATA), Untar(f"{_DATA}WAV_LICENSE.md", strip=_DATA)),
    unpacked_size=81_000,
)
