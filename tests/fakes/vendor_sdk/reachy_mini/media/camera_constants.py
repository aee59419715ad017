from dataclasses import dataclass


@dataclass
class CameraSpecs:
    name: str = ""


def get_camera_specs_by_name(name: str) -> CameraSpecs:
    return CameraSpecs(name)
