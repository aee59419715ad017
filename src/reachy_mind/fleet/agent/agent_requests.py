"""`AgentRequests`: what other programs of this machine may ask of a running agent, over its control socket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reachy_mind import __version__
from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.agent.sound import sound_about

if TYPE_CHECKING:
    from collections.abc import Callable

    from reachy_mind.fleet.agent.agent_fleet import AgentFleet
    from reachy_mind.fleet.agent.announcements import Announcer
    from reachy_mind.fleet.agent.buttons import ButtonPanel
    from reachy_mind.fleet.agent.conversation import VoiceConversation
    from reachy_mind.fleet.agent.emergency import EmergencyAlarm
    from reachy_mind.fleet.agent.light import StatusLight
    from reachy_mind.fleet.agent.mind_robot import MindRobot
    from reachy_mind.fleet.agent.pins import DevicePins
    from reachy_mind.fleet.agent.sound import SoundOutput
    from reachy_mind.fleet.agent.twin_applier import AgentTwinApplier
    from reachy_mind.fleet.agent.uplink import AgentUplink
    from reachy_mind.fleet.agent.vitals import MachineVitals


@dataclass(frozen=True)
class AgentRequests:
    """`state`: the agent's, as in heartbeats."""

    state: Callable[[], str]
    panel: ButtonPanel
    pins: DevicePins
    light: StatusLight
    sound: SoundOutput
    announcer: Announcer
    alarm: EmergencyAlarm
    conversation: VoiceConversation
    applier: AgentTwinApplier
    fleet: AgentFleet
    uplink: AgentUplink
    vitals: MachineVitals
    robot: MindRobot | None

    async def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Raises InvalidParameter, NotReady."""
        match request.get("do"):
            case "status":
                return await self._status()
            case "press":
                button, press = str(request.get("button")), request.get("press", "single")
                if press not in ("single", "double", "long"):
                    raise InvalidParameter(f"no press {str(press)[:32]!r}", hint="single, double or long")
                await self.panel.press(button, press)
                return {"pressed": button, "press": press}
            case "light":
                return {"history": [each.as_dict() for each in self.light.history], "value": self.light.value()}
        raise InvalidParameter(f"it can't {str(request.get('do'))[:32]!r}", hint="status, press or light")

    async def _status(self) -> dict[str, Any]:
        totals, identity, persona = await self.uplink.totals(), self.fleet.identity, self.applier.persona
        activities = self.fleet.activities
        return {
            "state": self.state(),
            "version": __version__,
            "device": identity.device if identity is not None else None,
            "name": identity.name if identity is not None else None,
            "control_plane": identity.url if identity is not None else None,
            "fleet": self.fleet.state,
            "reason": self.fleet.reason,
            "waiting": totals.events if totals is not None else None,
            "emergencies": totals.emergencies if totals is not None else None,
            "alarm": self.alarm.event if self.alarm.active else None,
            "persona": persona.id if persona is not None else None,
            "light": self.light.shown,
            "pins": {"kind": self.pins.kind, "why": self.pins.why},
            "sound": sound_about(self.sound),
            "conversation": self.conversation.place,
            "activity": activities.current if activities is not None else None,
            "said": self.announcer.said,
            "vitals": dict(self.vitals.read()),
            **({"robot": await self.robot.health()} if self.robot is not None else {}),
        }
