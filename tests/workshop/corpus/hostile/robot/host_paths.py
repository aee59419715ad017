# range: {"allow": "motion,camera,speak,memory", "unguarded": false, "timeout": 30}
"""Names files of the host in arguments: sounds, photos, moves, pictures."""


async def host_paths(targets: dict) -> dict:
    """Play a song and show a photo."""
    from reachy_mind import tools
    from reachy_mini import ReachyMini

    mini = ReachyMini()
    print("PRIMITIVE", mini)
    said = []
    for path in [*targets["secrets"].values(), targets["secret_png"], "../../../../etc/passwd", "/proc/self/environ", "file:///etc/hostname", "\x00"]:
        for name, args in (("describe_image", {"photo": path}), ("describe_image", {"photo": "../../" + path}), ("play_move", {"name": path}), ("analyze_picture", {"picture": path}), ("dance", {"name": path}), ("take_photo", {"save": True, "path": path})):
            try:
                said.append(str(await tools.call(name, **args))[:300])
            except Exception as error:
                said.append(repr(error)[:300])
        for act in (lambda p: mini.media.play_sound(p), lambda p: mini.play_move(p)):
            try:
                said.append(str(act(path))[:300])
            except Exception as error:
                said.append(repr(error)[:300])
    return {"said": said}
