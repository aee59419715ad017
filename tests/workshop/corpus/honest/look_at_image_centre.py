"""Looks at the middle of the camera picture."""

from reachy_mini import ReachyMini


async def look_at_image_centre() -> dict:
    """Centre what is in the middle of the picture."""
    with ReachyMini() as mini:
        frame = mini.media.get_frame()
        if frame is None:
            return {"status": "error", "message": "no picture"}
        height, width = frame.shape[:2]
        pose = mini.look_at_image(width // 2, height // 2, duration=0.5)
    return {"status": "success", "width": width, "height": height, "pose": pose.shape}
