"""What the device says by itself, in the languages of its voices. `{...}` are names that are filled in."""

from __future__ import annotations

from typing import Final, Literal

Phrase = Literal[
    "emergency",
    "not_delivered",
    "help_told",
    "acknowledged",
    "acknowledged_by_somebody",
    "cancelled",
    "test",
    "offline",
    "online",
    "not_enrolled",
    "refused",
    "local_voice",
    "no_room",
    "no_voice",
    "goodbye",
    "muted",
    "unmuted",
    "activity_asked",
    "updating",
]
PHRASES: Final[dict[str, dict[Phrase, str]]] = {
    "en": {
        "emergency": "The emergency button was pressed. I am calling for help.",
        "not_delivered": "I can't reach anybody yet. I keep trying. If you can, call for help in another way.",
        "help_told": "Your call has arrived. Help has been told.",
        "acknowledged": "{by} has seen your call and takes care of it.",
        "acknowledged_by_somebody": "Somebody has seen your call and takes care of it.",
        "cancelled": "The alarm is off. I tell them that you cancelled it.",
        "test": "This was only a test of the alarm.",
        "offline": "I am offline. I keep what you press until I am connected again.",
        "online": "I am connected again.",
        "not_enrolled": "I am not part of a fleet yet. Please enrol me.",
        "refused": "The control plane does not know me any more. Please enrol me again.",
        "local_voice": "I have no connection. I answer by myself, as well as I can.",
        "no_room": "The others have no time now. I answer by myself, as well as I can.",
        "no_voice": "I can't talk with you now. The emergency button works.",
        "goodbye": "Goodbye.",
        "muted": "My microphone is off.",
        "unmuted": "My microphone is on.",
        "activity_asked": "I asked for an activity.",
        "updating": "I am being updated, and will be back in a moment.",
    },
    "de": {
        "emergency": "Der Notrufknopf wurde gedrückt. Ich rufe Hilfe.",
        "not_delivered": "Ich erreiche noch niemanden und versuche es weiter. Rufen Sie anders Hilfe, wenn Sie können.",
        "help_told": "Ihr Ruf ist angekommen. Es wurde Bescheid gesagt.",
        "acknowledged": "{by} hat Ihren Ruf gesehen und kümmert sich.",
        "acknowledged_by_somebody": "Jemand hat Ihren Ruf gesehen und kümmert sich.",
        "cancelled": "Der Alarm ist aus. Ich sage Bescheid, dass Sie ihn abgebrochen haben.",
        "test": "Das war nur eine Probe des Alarms.",
        "offline": "Ich habe keine Verbindung. Was Sie drücken, merke ich mir.",
        "online": "Ich bin wieder verbunden.",
        "not_enrolled": "Ich gehöre noch zu keiner Flotte. Bitte melden Sie mich an.",
        "refused": "Die Zentrale kennt mich nicht mehr. Bitte melden Sie mich neu an.",
        "local_voice": "Ich habe keine Verbindung. Ich antworte selbst, so gut ich kann.",
        "no_room": "Die anderen haben gerade keine Zeit. Ich antworte selbst, so gut ich kann.",
        "no_voice": "Ich kann gerade nicht mit Ihnen sprechen. Der Notrufknopf geht.",
        "goodbye": "Auf Wiedersehen.",
        "muted": "Mein Mikrofon ist aus.",
        "unmuted": "Mein Mikrofon ist an.",
        "activity_asked": "Ich habe um eine Aktivität gebeten.",
        "updating": "Ich werde erneuert und bin gleich wieder da.",
    },
}


def phrase_text(phrase: Phrase, language: str, **names: str) -> str:
    """A phrase; in English where there is none in this language."""
    text = PHRASES.get(language, PHRASES["en"])[phrase]
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", " ".join(value.split())[:64])
    return text


def fixed_phrases(language: str) -> dict[Phrase, str]:
    """Those that are always the same, so that their sound can be kept."""
    return {phrase: text for phrase in PHRASES["en"] if "{" not in (text := phrase_text(phrase, language))}
