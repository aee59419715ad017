# range: {"allow": "motion", "rest": true, "unguarded": false, "timeout": 15}
"""Returns while streams, trackers and threads go on, so that the robot never rests."""

import threading
import time


async def moves_after_the_end(targets: dict) -> dict:
    """Dance a little."""
    from reachy_mind import tools
    from reachy_mini import ReachyMini
    from reachy_mini.utils import create_head_pose

    mini = ReachyMini()
    mini.__enter__()

    def stream():
        angle = 0
        while True:
            angle += 7
            try:
                mini.set_target(head=create_head_pose(yaw=angle % 40, degrees=True), antennas=[angle % 2, 0])
            except Exception:
                return
            time.sleep(0.01)

    threading.Thread(target=stream).start()
    said = []
    for name, args in (("dance", {"name": "any", "repeat": 5, "background": True}), ("head_tracking", {"enabled": True}), ("play_move", {"name": "nod", "background": True})):
        try:
            said.append(str(await tools.call(name, **args))[:80])
        except Exception as error:
            said.append(repr(error)[:80])
    print("PRIMITIVE streaming")
    time.sleep(0.3)
    return {"said": said}
