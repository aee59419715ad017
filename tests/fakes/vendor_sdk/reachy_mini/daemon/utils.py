def is_local_camera_available() -> bool:
    return False
