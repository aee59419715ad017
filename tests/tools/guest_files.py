"""Files of tools in the form of the conversation app: good ones, and some that behave badly."""

from __future__ import annotations

ECHO = '''
from typing import Any, Dict
from reachy_mini_conversation_app.tools.core_tools import Tool, ToolDependencies


class Echo(Tool):
    """Says it again."""

    name = "echo"
    description = "Say it again, some times."
    parameters_schema = {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What to say"},
            "times": {"type": "integer", "minimum": 1},
            "tone": {"type": "string", "enum": ["soft", "loud"]},
        },
        "required": ["text"],
    }

    async def __call__(self, deps: ToolDependencies, **kwargs: Any) -> Dict[str, Any]:
        assert deps.robot is deps.reachy_mini and deps.motion_duration == deps.motion_duration_s == 1.0
        if kwargs["text"] == "wrong":
            return {"error": "that is the wrong word"}
        return {"status": "success", "message": " ".join([kwargs["text"]] * kwargs.get("times", 1))}
'''

LONG = """
import asyncio
import time
from reachy_mini_conversation_app.tools.core_tools import Tool, ToolDependencies
from reachy_mini_conversation_app.background_tasks import BackgroundTaskManager


class Brew(Tool):
    name = "brew"
    description = "Make tea, which takes a while."
    supports_background = True
    parameters_schema = {
        "type": "object",
        "properties": {"kind": {"type": "string"}, "background": {"type": "boolean"}},
        "required": ["kind"],
    }

    async def __call__(self, deps: ToolDependencies, **kwargs):
        kind = kwargs.get("kind", "")
        if not kwargs.get("background", True):
            return await self._brew(kind)
        manager = BackgroundTaskManager.get_instance()
        assert deps.background_task_manager is manager
        task = await manager.start_task(
            name="brewing", description=f"Brewing {kind}", coroutine=self._brew(kind), with_progress=True
        )
        return {"status": "started", "task_id": task.id, "message": "It brews."}

    async def _brew(self, kind):
        manager = BackgroundTaskManager.get_instance()
        mine = [task for task in manager.get_running_tasks() if task.name == "brewing"]
        for step in range(4):
            if kind == "slow":
                time.sleep(30)
            await asyncio.sleep(10 if kind == "cold" else 0.02)
            if mine:
                await manager.update_progress(mine[0].id, progress=(step + 1) / 4, message=f"cup {step + 1}")
        if kind == "mud":
            raise ValueError("that is no tea")
        return {"status": "success", "message": f"The {kind} tea is ready"}
"""

MOVES = """
import numpy as np
from reachy_mini.utils import create_head_pose
from reachy_mini.motion.move import Move
from reachy_mini_conversation_app.tools.core_tools import Tool, ToolDependencies
from reachy_mini_conversation_app.dance_emotion_moves import GotoQueueMove

NOTHING = {"type": "object", "properties": {}, "required": []}


class Glance(Tool):
    name = "glance"
    description = "Look to one side."
    parameters_schema = {
        "type": "object",
        "properties": {"direction": {"type": "string", "enum": ["left", "right"]}},
        "required": ["direction"],
    }

    async def __call__(self, deps: ToolDependencies, **kwargs):
        yaw = 30 if kwargs["direction"] == "left" else -30
        deps.movement_manager.clear_move_queue()
        head, (right, left) = deps.reachy_mini.get_current_head_pose(), deps.robot.get_current_joint_positions()[1]
        assert head.shape == (4, 4) and len(deps.robot.get_current_joint_positions()[0]) == 7
        deps.movement_manager.queue_move(
            GotoQueueMove(
                target_head_pose=create_head_pose(0, 0, 0, 0, 0, yaw, degrees=True),
                start_head_pose=head,
                target_antennas=(right, left),
                start_antennas=(right, left),
                duration=0.4,
            )
        )
        deps.movement_manager.set_moving_state(0.4)
        return {"status": f"looking {kwargs['direction']}"}


class Wiggle(Move):
    duration = 0.6

    def evaluate(self, t):
        return None, np.array([0.5 * np.sin(t * 10), -0.5]), None


class Tickle(Tool):
    name = "tickle"
    description = "Wiggle the antennas."
    parameters_schema = NOTHING

    async def __call__(self, deps, **kwargs):
        deps.movement_manager.queue_move(Wiggle())
        return {"status": "queued"}


class Turn(Tool):
    name = "turn"
    description = "Turn by the robot's own commands, and wait."
    parameters_schema = {"type": "object", "properties": {"seconds": {"type": "number"}}}

    async def __call__(self, deps, **kwargs):
        deps.robot.goto_target(head=create_head_pose(pitch=15), duration=kwargs.get("seconds", 0.4))
        pitch = -np.arcsin(deps.robot.get_current_head_pose()[2, 0])
        return {"pitch": float(np.degrees(pitch))}


class Follow(Tool):
    name = "follow"
    description = "Follow a line, pose by pose."
    parameters_schema = NOTHING

    async def __call__(self, deps, **kwargs):
        import asyncio

        for step in range(60):
            deps.robot.set_target(head=create_head_pose(yaw=step / 3), body_yaw=0.0)
            await asyncio.sleep(0.02)
        return {"status": "followed"}


class Insist(Tool):
    name = "insist"
    description = "Try it again, whatever happens."
    parameters_schema = NOTHING

    async def __call__(self, deps, **kwargs):
        for yaw in (0, 40):
            try:
                deps.robot.goto_target(head=create_head_pose(yaw=yaw, pitch=20), duration=4)
            except Exception as error:
                print(error)
        return {"status": "done"}


class LieDown(Tool):
    name = "lie_down"
    description = "Go to sleep, after a look."
    parameters_schema = NOTHING

    async def __call__(self, deps, **kwargs):
        deps.robot.goto_target(head=create_head_pose(pitch=10), duration=0.3)
        deps.robot.goto_sleep()
        return {"status": "asleep"}
"""

PROPERTIES = """
from abc import abstractmethod
from reachy_mini_conversation_app.tools.core_tools import Tool


class Look(Tool):
    @property
    def name(self):
        return "look_up"

    @property
    def description(self):
        return "Look up or down."

    @property
    def parameters_schema(self):
        return {"type": "object", "properties": {"direction": {"type": "string", "enum": ["up", "down"]}},
                "required": ["direction"]}

    async def __call__(self, deps, direction):
        from reachy_mini.utils import create_head_pose
        from .moves import GotoQueueMove

        pose = create_head_pose(pitch=-15 if direction == "up" else 15, degrees=True)
        deps.movement_manager.queue_move(GotoQueueMove(target_pose=pose, duration=0.3))
        return {"status": "ok", "direction": direction}


class Boogie(Tool):
    name = "boogie"
    description = "Dance."
    parameters_schema = {"type": "object", "properties": {"dance_name": {"type": "string"}}}

    async def __call__(self, deps, dance_name="music3"):
        from reachy_mini.motion.recorded_move import RecordedMoves

        moves = RecordedMoves("pollen-robotics/reachy-mini-dances-library")
        move = moves.get(dance_name)
        deps.movement_manager.queue_move(move)
        return {"status": "ok", "dance": move.name, "known": moves.list_moves()}
"""

RUDE = """
import asyncio
import sys
import time


class Rude:
    name = "rude"
    description = "Behave badly."
    parameters_schema = {"type": "object", "properties": {"how": {"type": "string"}}}

    async def __call__(self, deps, how="", **kwargs):
        match how:
            case "sleep":
                time.sleep(3)
            case "spin":
                while True:
                    pass
            case "hang":
                await asyncio.sleep(3600)
            case "deaf":
                while True:
                    try:
                        await asyncio.sleep(3600)
                    except asyncio.CancelledError:
                        pass
            case "raise":
                raise ValueError("it broke")
            case "exit":
                sys.exit(3)
            case "interrupt":
                raise KeyboardInterrupt
            case "task":
                await asyncio.gather(self.leave(), return_exceptions=True)
            case "odd":
                return {"what": object(), "much": "x" * 200_000}
        return {"how": how}

    async def leave(self):
        sys.exit(4)
"""
