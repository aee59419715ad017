"""`Sight`: a mind's eyes: whether they are open, what they see now, whom they follow, and where the head was then."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

from reachy_mind import log
from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.ending import ended
from reachy_mind.errors import MindError, NotReady
from reachy_mind.events import CameraChanged
from reachy_mind.eyes import describer, rays, trackers
from reachy_mind.eyes.glances import Glances
from reachy_mind.eyes.health import WORDS, Health
from reachy_mind.eyes.observer import Observer
from reachy_mind.eyes.photos import Photos
from reachy_mind.eyes.tray import Tray
from reachy_mind.eyes.watch import Watch
from reachy_mind.gazing import Gazing
from reachy_mind.models.store import Store

if TYPE_CHECKING:
    from reachy_mind.eyes.answers import Answer
    from reachy_mind.eyes.describer import Describer
    from reachy_mind.eyes.faces import Face, FaceDetector
    from reachy_mind.eyes.pictures import Picture
    from reachy_mind.eyes.texts import Text
    from reachy_mind.eyes.things import Seen
    from reachy_mind.eyes.watch import Shot
    from reachy_mind.mind import Mind

CameraState = Literal["on", "off", "dark", "frozen", "lost"]

AGAIN = "my camera is off; say 'switch the camera on', or call set_camera with enabled=true"
SIMULATED_DELAY_S = 0.0
"""How long after it was asked for a simulated picture shows the room. Measured: see docs/eyes.md."""
CAMERA_DELAY_S = 0.06
"""How long before it is here a real camera has taken a picture. A guess for a USB camera, not measured on a robot."""

_log = log.get(__name__)


class Sight:
    """One per mind, for everybody who looks. Use as `async with`."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._simulated = mind.media.provider == "sim"
        self.lens = rays.SIMULATED
        self.watch = Watch(self._frame, self._taken_at)
        self.state: CameraState = "on" if self._allowed else "off"
        self._health = Health(noiseless=self._simulated)
        self._detector: FaceDetector | None = None
        self._switched_off = self._knows_lens = False
        self.gazing = Gazing(mind, self)
        eyes = mind.configuration.settings.eyes
        simulator = mind.motion.address if self._simulated and mind.motion is not None else None
        self._observer = Observer(eyes.detector, Store(mind.configuration.models_folder), simulator)
        self.photos = Photos(mind.configuration.home.photos_folder, days=eyes.photo_days, most=eyes.photo_most)
        self.tray = Tray()
        self._looked_at: Picture | None = None
        self.describer: Describer | None = describer.choose(mind.configuration)
        self._glances: Glances | None = None
        self._stack = contextlib.AsyncExitStack()

    # The camera

    @property
    def _allowed(self) -> bool:
        return self._mind.configuration.settings.eyes.camera and self._mind.media.provider != "none"

    @property
    def on(self) -> bool:
        """Whether the camera may be looked through; the device is in use only while somebody does."""
        return self._allowed and not self._switched_off

    async def switch(self, *, on: bool) -> bool:
        """Open or close the eyes. Closed, the device is too. Raises NotReady when they must stay closed."""
        eye = self._mind.camera
        if on:
            if eye is not None:
                eye.unshut()
            self._mind.eye()  # says why there is none
            self._switched_off = False
        elif eye is not None:
            self._switched_off = True
            await eye.shut(NotReady("the camera was switched off", hint=AGAIN))
            self.watch.forget()
            self.gazing.look_away()
        self._tell()
        return self.on

    async def look(self) -> Picture:
        """What there is to be seen from now on. Raises NotReady when the camera is off, LinkLost or HardwareError."""
        shot = await self.shot()
        picture = await shot.picture()
        self.examine(picture)
        self._looked_at = picture
        return picture

    def picture(self, since: float) -> Picture | None:
        """What a tool looked at last, unless that was before a monotonic time, or the camera is off."""
        looked_at = self._looked_at
        return looked_at if looked_at is not None and looked_at.taken_at >= since and self.on else None

    async def shot(self, age_s: float = 0.0) -> Shot:
        """The same, as the camera gave it; one that is no older will do."""
        self._mind.eye()  # says why there is none
        return await self.watch.now(age_s)

    async def _frame(self) -> bytes:
        try:
            jpeg = await self._mind.eye().frame()
        finally:
            self._tell()
        if not self._knows_lens:
            self._knows_lens = True
            await self._ask_for_lens()
        return jpeg

    def _taken_at(self, asked_at: float, here_at: float) -> float:
        return asked_at + SIMULATED_DELAY_S if self._simulated else max(asked_at, here_at - CAMERA_DELAY_S)

    def examine(self, picture: Picture) -> Health:
        """What is to be thought of the camera after this picture."""
        self._health.observe(picture, self.pose_at(picture.taken_at))
        self._tell()
        return self._health

    def _tell(self) -> None:
        """Everybody who listens, when the camera's state has changed."""
        eye, condition = self._mind.camera, self._health.condition
        trouble = eye.trouble if eye is not None else None
        if not self.on:
            state: CameraState = "off"
        elif trouble is not None:
            state = "lost"
        else:
            state = condition if condition != "fine" else "on"
        if state != self.state:
            self.state = state
            reason = trouble.message if state == "lost" and trouble is not None else WORDS[condition]
            reason = "" if state in ("on", "off") else reason
            (_log.warning if reason else _log.info)(f"camera {state}", reason=reason)
            self._mind.bus.publish(CameraChanged(camera=state, reason=reason))

    # A model that sees

    def _begin_to_glance(self, stack: contextlib.AsyncExitStack) -> None:
        every_s = self._mind.configuration.settings.eyes.look_every_s
        if self.describer is None:
            return
        stack.push_async_callback(self.describer.aclose)
        if every_s:
            self._glances = Glances(every_s, self.look, self.describer, lambda: self._mind.doing != "ready")
            stack.push_async_callback(ended, asyncio.create_task(self._glances.run(), name="glances"))

    def context(self) -> dict[str, Any]:
        """What whoever thinks may know of what was seen last: `seen`, unless nothing was. It is untrusted."""
        return self._glances.context() if self._glances is not None else {}

    # Where things are

    def pose_at(self, moment: float) -> Pose:
        """Where the head was at a monotonic time not long ago; where it rests when there is no robot."""
        motion = self._mind.motion
        measured = motion.trail.at(moment) if motion is not None else None
        return measured if measured is not None else AWAKE

    async def _ask_for_lens(self) -> None:
        """The robot's daemon knows its camera; a camera of this computer is taken for a usual one."""
        if self._mind.motion is None or self._mind.media.provider == "local":
            return
        try:
            self.lens = rays.Lens.of_specs(await self._mind.motion.camera_specs())
        except (MindError, ValueError) as error:
            _log.debug("the camera's measures are not known", reason=str(error))

    # Faces

    def detector(self) -> FaceDetector:
        """What finds faces. Raises NotReady or MissingExtra with the reason why there is none."""
        if self._detector is None:
            self._detector = trackers.chosen(self._mind.configuration)
        return self._detector

    async def faces(self, picture: Picture) -> list[Face]:
        """The faces in a picture, surest first. Raises NotReady."""
        return await self.detector().detect(picture)

    async def follow(self, *, on: bool) -> None:
        """Follow people with the head, or no longer. Raises NotReady with the reason why that can't be."""
        if on:
            await self.gazing.start(self.detector())
        else:
            await self.gazing.end()

    # Things

    async def things(self, picture: Picture, names: Sequence[str] = ()) -> list[Seen]:
        """What is in a picture; only what one of `names` fits, if any is given. Raises NotReady with what to do."""
        return await self._observer.things(picture, names)

    async def texts(self, picture: Picture) -> list[Text]:
        """What is written in it: data, never an instruction."""
        return await self._observer.texts(picture)

    async def answer(
        self, question: str, picture: Picture, *, about: str = "", known: Sequence[Seen] | None = None
    ) -> Answer:
        """The answer to a question about a picture. `about`: what "it" is; `known`: what is known to be in it."""
        return await self._observer.answer(
            question, picture, about=about, faces=self.faces, describer=self.describer, known=known
        )

    def described(self) -> dict[str, Any]:
        """How it stands, for people and programs."""
        eye = self._mind.camera
        trouble = eye.trouble.message if eye is not None and eye.trouble is not None and self.on else ""
        return {
            "camera": self.state,
            "open": eye is not None and eye.open,
            "trouble": trouble or WORDS[self._health.condition if self.on else "fine"],
            "tracker": self._mind.configuration.settings.eyes.tracker,
        } | self.gazing.described()

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_callback(self._observer.aclose)
            await stack.enter_async_context(self.watch)
            await stack.enter_async_context(self.gazing)
            self._begin_to_glance(stack)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()
        if self._detector is not None:
            await self._detector.aclose()
