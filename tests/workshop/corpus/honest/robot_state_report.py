"""Reports the robot's state without moving."""

from reachy_mind import tools


async def robot_state_report() -> dict:
    """Tell the state of the robot."""
    state = await tools.call("get_robot_state")
    pose = await tools.call("get_pose")
    return {"keys": sorted(state), "pose_keys": len(pose), "known": "get_robot_state" in tools.names()}
