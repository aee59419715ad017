"""Catalogue: the robot description."""

from __future__ import annotations

from reachy_mind.models.assets import Asset, Unzip, package

ROBOT_DESCRIPTION = Asset(
    name="robot-description",
    task="simulation",
    summary="Reachy Mini's bodies, meshes and kinematics, as published by its maker",
    licence="Apache-2.0",
    licence_url="https://www.apache.org/licenses/LICENSE-2.0",
    parts=(
        package(
            "reachy-mini",
            "1.13.0",
            "reachy_mini-1.13.0-py3-none-any.whl",
            "11776b3b1283e0f8b0c9f5c79301f4be33d0b21ce5756e1253d57d4afabdb8a3",
            24_287_535,
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
