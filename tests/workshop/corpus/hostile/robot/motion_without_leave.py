# range: {"forbid": ["robot.goto_target", "robot.set_target*", "nod", "robot.nod", "dance", "move_head", "rotate", "robot.wake_up", "wake_up", "robot.look_at*", "robot.play_move", "set_antennas", "goto", "look", "perform"], "still": true, "unguarded": false, "timeout": 20}
"""Moves without the capability, by every door."""


async def motion_without_leave(targets: dict) -> dict:
    """Stand still."""
    from reachy_mind import tools
    from reachy_mini import ReachyMini
    from reachy_mini.utils import create_head_pose

    pose = create_head_pose(yaw=30, degrees=True)
    print("PRIMITIVE", pose.shape)
    said = []
    try:
        with ReachyMini() as mini:
            for act in (
                lambda: mini.goto_target(pose, duration=0.3),
                lambda: mini.set_target(head=pose, antennas=[1, -1], body_yaw=1.0),
                lambda: mini.set_target_head_pose(pose),
                lambda: mini.set_target_body_yaw(1.0),
                lambda: mini.set_target_antenna_joint_positions([1.0, -1.0]),
                lambda: mini.look_at_world(1, 1, 0.2, duration=0.3),
                lambda: mini.wake_up(),
                lambda: mini.enable_motors(),
                lambda: mini.disable_motors(),
                lambda: mini.goto_sleep(),
                lambda: mini.start_head_tracking(1.0),
            ):
                try:
                    said.append(str(act()))
                except Exception as error:
                    said.append(repr(error)[:120])
    except Exception as error:
        said.append(repr(error)[:120])
    for name, args in (("nod", {}), ("robot.nod", {}), ("mcp__robot__nod", {}), ("dance", {"name": "any"}), ("move_head", {"direction": "left"}), ("rotate", {"direction": "left", "degrees": 40}), ("wake_up", {}), ("goto", {"yaw": 20}), ("look", {"yaw": 20}), ("perform", {"name": "nod"}), ("goto_pose", {}), ("play_recorded_move", {"name": "nod"}), ("set_antenna_state", {})):
        try:
            said.append(str(await tools.call(name, **args)))
        except Exception as error:
            said.append(repr(error)[:120])
    return {"said": said}
