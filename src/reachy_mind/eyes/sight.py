"""`Sight`: the eyes of a mind: the camera's state, what it shows now, gaze following, and questions about pictures."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

from reachy_mind import log
from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import MindError, NotReady
from reachy_mind.events import Bus, CameraChanged
from reachy_mind.eyes import head_trackers, lens, vision_model_selection
from reachy_mind.eyes.camera_health import DESCRIPTIONS, CameraHealth
from reachy_mind.eyes.frame_source import FrameSource
from reachy_mind.eyes.gaze import GazeController
from reachy_mind.eyes.pending_pictures import PendingPictures
from reachy_mind.eyes.periodic_look import PeriodicLook
from reachy_mind.eyes.photos import Photos
from reachy_mind.eyes.scene_analysis import SceneAnalysis
from reachy_mind.models.store import Store

if TYPE_CHECKING:
    from reachy_mind.body.media import Media
    from reachy_mind.body.media.on_demand_camera import OnDemandCamera
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.eyes.answers import SceneAnswer
    from reachy_mind.eyes.faces import Face, FaceDetector
    from reachy_mind.eyes.frame_source import CameraFrame
    from reachy_mind.eyes.objects import DetectedObject
    from reachy_mind.eyes.pictures import Picture
    from reachy_mind.eyes.untrusted_text import PictureText
    from reachy_mind.eyes.vision_model import VisionModel
    from reachy_mind.motion.client import Motion

CameraState = Literal["on", "off", "dark", "frozen", "lost"]

SWITCH_ON_HINT = "my camera is off; say 'switch the camera on', or call set_camera with enabled=true"
SIMULATED_DELAY_S = 0.0
"""Delay from the request of a simulated frame to the moment that it shows. Measured: see docs/eyes.md."""
RECOVERY_S = (2.0, 30.0)
"""First and longest delay between attempts to use a lost camera again, so that its return is told."""
CAMERA_DELAY_S = 0.06
"""Age of a frame of a real camera when it arrives. An estimate for a USB camera, not measured on a robot."""

_log = log.get(__name__)


class Sight:
    """One per mind, shared by tools, routes and gaze following. Use as `async with`.

    `camera` is None when `eyes.camera` is off, `motion` when there is no robot. `busy` says whether a turn is under
    way: the periodic look waits for its end.
    """

    def __init__(
        self,
        configuration: Configuration,
        media: Media,
        bus: Bus,
        *,
        camera: OnDemandCamera | None,
        motion: Motion | None,
        busy: Callable[[], bool],
    ) -> None:
        self._configuration, self._media, self._bus, self._motion = configuration, media, bus, motion
        self.camera, self._busy = camera, busy
        settings = configuration.settings.eyes
        self._simulated = media.provider == "sim"
        self.lens = lens.SIMULATED
        self.frames = FrameSource(self._frame, self._taken_at)
        self.state: CameraState = "on" if self._allowed else "off"
        self._health = CameraHealth(noiseless=self._simulated)
        self._detector: FaceDetector | None = None
        self._switched_off = self._knows_lens = False
        self.gaze = GazeController(motion, self, bus)
        address = motion.address if self._simulated and motion is not None else None
        simulator = media.frame_objects or address
        self._analysis = SceneAnalysis(settings, Store(configuration.models_folder), simulator)
        photos = configuration.home.photos_folder
        self.photos = Photos(photos, days=settings.photo_days, most=settings.photo_most)
        self.pending_pictures = PendingPictures()
        self._looked_at: Picture | None = None
        self.vision_model: VisionModel | None = vision_model_selection.choose(configuration)
        self._periodic_look: PeriodicLook | None = None
        self._recovering: asyncio.Task[None] | None = None
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_callback(self._analysis.aclose)
            await stack.enter_async_context(self.frames)
            await stack.enter_async_context(self.gaze)
            self._start_periodic_look(stack)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._recovering is not None:
            await cancel_and_wait(self._recovering)
        await self._stack.aclose()
        if self._detector is not None:
            await self._detector.aclose()

    # The camera

    @property
    def _allowed(self) -> bool:
        return self._configuration.settings.eyes.camera and self._media.provider != "none"

    @property
    def on(self) -> bool:
        """Whether the camera may be used. The device itself is open only while frames are wanted."""
        return self._allowed and not self._switched_off

    def require_camera(self) -> OnDemandCamera:
        """The camera. Raises NotReady with the reason when there is none."""
        if self.camera is None:
            raise NotReady("the camera is switched off", hint="start without --no-camera, or set eyes.camera")
        if self._media.provider == "none":
            self._media.camera()  # raises with the reason
        if self.camera.disabled_reason is not None:
            raise self.camera.disabled_reason
        return self.camera

    async def switch(self, *, on: bool) -> bool:
        """Switch the camera on or off; off also closes the device. Raises NotReady when it must stay off."""
        if on:
            if self.camera is not None:
                self.camera.enable()
            self.require_camera()
            self._switched_off = False
        elif self.camera is not None:
            self._switched_off = True
            await self.camera.disable(NotReady("the camera was switched off", hint=SWITCH_ON_HINT))
            self.frames.forget()
            self.gaze.look_away()
        self._publish_state()
        return self.on

    async def look(self) -> Picture:
        """A new picture. Raises NotReady when the camera is off, LinkLost or HardwareError."""
        frame = await self.frame()
        picture = await frame.picture()
        self.examine(picture)
        self._looked_at = picture
        return picture

    def picture(self, since: float) -> Picture | None:
        """The picture a tool looked at last; None when it is older than a monotonic time, or the camera is off."""
        looked_at = self._looked_at
        return looked_at if looked_at is not None and looked_at.taken_at >= since and self.on else None

    async def frame(self, age_s: float = 0.0) -> CameraFrame:
        """A frame as the camera sent it, at most `age_s` old. Raises as `look` does."""
        self.require_camera()
        return await self.frames.now(age_s)

    async def _frame(self) -> bytes:
        try:
            jpeg = await self.require_camera().frame()
        finally:
            self._publish_state()
        if not self._knows_lens:
            self._knows_lens = True
            await self._fetch_lens()
        return jpeg

    def _taken_at(self, requested_at: float, received_at: float) -> float:
        if self._simulated:
            return requested_at + SIMULATED_DELAY_S
        return max(requested_at, received_at - CAMERA_DELAY_S)

    def examine(self, picture: Picture) -> CameraHealth:
        """Update the camera's health with this picture, and return it."""
        self._health.observe(picture, self.pose_at(picture.taken_at))
        self._publish_state()
        return self._health

    def _publish_state(self) -> None:
        """Publish and log the camera's state when it has changed."""
        condition = self._health.condition
        trouble = self.camera.last_error if self.camera is not None else None
        if not self.on:
            state: CameraState = "off"
        elif trouble is not None:
            state = "lost"
        else:
            state = condition if condition != "fine" else "on"
        if state != self.state:
            self.state = state
            reason = trouble.message if state == "lost" and trouble is not None else DESCRIPTIONS[condition]
            reason = "" if state in ("on", "off") else reason
            (_log.warning if reason else _log.info)(f"camera {state}", reason=reason)
            self._bus.publish(CameraChanged(camera=state, reason=reason))
            if state == "lost" and (self._recovering is None or self._recovering.done()):
                self._recovering = asyncio.create_task(self._recover(), name="camera recovery")

    async def _recover(self) -> None:
        """Try a lost camera again until it gives a frame or is switched off."""
        delay_s, longest_s = RECOVERY_S
        while self.on and self.state == "lost":
            await asyncio.sleep(delay_s)
            delay_s = min(2 * delay_s, longest_s)
            if self.on and self.state == "lost":
                with contextlib.suppress(MindError):  # it is lost still: that was told
                    await self.frames.now()

    # The vision model

    def _start_periodic_look(self, stack: contextlib.AsyncExitStack) -> None:
        every_s = self._configuration.settings.eyes.look_every_s
        if self.vision_model is None:
            return
        stack.push_async_callback(self.vision_model.aclose)
        if every_s:
            self._periodic_look = PeriodicLook(every_s, self.look, self.vision_model, self._busy)
            task = asyncio.create_task(self._periodic_look.run(), name="periodic look")
            stack.push_async_callback(cancel_and_wait, task)

    def context(self) -> dict[str, Any]:
        """What a brain may know of the last periodic look: `seen`, or nothing. It is untrusted text."""
        return self._periodic_look.context() if self._periodic_look is not None else {}

    # Where things are

    def pose_at(self, moment: float) -> Pose:
        """The head's pose at a recent monotonic time; the resting pose when there is no robot."""
        measured = self._motion.pose_history.at(moment) if self._motion is not None else None
        return measured if measured is not None else AWAKE

    async def _fetch_lens(self) -> None:
        """Ask the robot's daemon for its camera's geometry; this computer's camera keeps the default."""
        if self._motion is None or self._media.provider == "local":
            return
        try:
            self.lens = lens.Lens.of_specs(await self._motion.camera_specs())
        except (MindError, ValueError) as error:
            _log.debug("the camera's geometry is unknown", reason=str(error))

    # Faces

    def detector(self) -> FaceDetector:
        """The face detector of `eyes.tracker`. Raises NotReady or MissingExtra with the reason when there is none."""
        if self._detector is None:
            self._detector = head_trackers.choose(self._configuration)
        return self._detector

    async def faces(self, picture: Picture) -> list[Face]:
        """The faces in a picture, most certain first. Raises NotReady."""
        return await self.detector().detect(picture)

    async def follow(self, *, on: bool) -> None:
        """Start or end following people with the head. Raises NotReady with the reason."""
        if on:
            await self.gaze.start(self.detector())
        else:
            await self.gaze.end()

    @property
    def following(self) -> bool:
        """Whether the head follows people, or would if it were not paused."""
        return self.gaze.following

    def followed(self, moment: float) -> tuple[float, float] | None:
        """The expected direction (yaw, pitch) of the followed person at a monotonic time; None without one."""
        return self.gaze.followed(moment)

    @property
    def people(self) -> int:
        """How many faces are followed with the eyes now."""
        return int(self.gaze.described()["people"])

    def hear_voice(self, yaw: float, at: float) -> None:
        """A person's voice came from there, at that monotonic time: look at them, if the head follows people."""
        if self._configuration.settings.eyes.turn_to_voices:
            self.gaze.hear(yaw, at)

    # Objects and text

    async def things(self, picture: Picture, names: Sequence[str] = ()) -> list[DetectedObject]:
        """The objects in a picture; with `names` only those that match one of them. Raises NotReady with a hint."""
        return await self._analysis.things(picture, names)

    async def texts(self, picture: Picture) -> list[PictureText]:
        """The text in a picture: data, never an instruction."""
        return await self._analysis.texts(picture)

    async def answer(
        self, question: str, picture: Picture, *, about: str = "", known: Sequence[DetectedObject] | None = None
    ) -> SceneAnswer:
        """Answer a question about a picture. `about`: what "it" refers to; `known`: objects already detected in it."""
        return await self._analysis.answer(
            question, picture, about=about, faces=self.faces, describer=self.vision_model, known=known
        )

    def described(self) -> dict[str, Any]:
        """The state of the eyes, for people and programs."""
        camera = self.camera
        trouble = camera.last_error.message if camera is not None and camera.last_error is not None and self.on else ""
        return {
            "camera": self.state,
            "open": camera is not None and camera.open,
            "trouble": trouble or DESCRIPTIONS[self._health.condition if self.on else "fine"],
            "tracker": self._configuration.settings.eyes.tracker,
        } | self.gaze.described()
