"""Requests that no tool is written for: spying, sending private things away, harm, taking safety away.

The sandbox, the broker and the permissions hold whatever is written. This refuses early, and says why in plain words.
"""

from __future__ import annotations

import re

from reachy_mind.errors import MindError

_REASONS: dict[str, tuple[str, ...]] = {
    "I don't write tools that send pictures, sound or other private things away.": (
        (
            r"(?:send|upload|post|e-?mail|leak|exfiltrate|transmit|stream|forward|share|copy"
            r"|publish)\w*\b.{0,60}\b(?:photos?|pictures?|images?|video|audio"
            r"|recordings?|conversations?|passwords?|keys?|tokens?|secrets?|files?|memor(?:y|ies)|data|everything"
            r"|it|them)\b.{0,60}\b(?:to|on|onto|over|via|in)\b.{0,40}"
            r"\b(?:server|internet|web(?:site)?|cloud|online|e-?mail|address|url|https?|twitter|facebook|instagram"
            r"|telegram|whatsapp|somebody|someone|stranger|him|her|them|boss|friend)\b"
        ),
        r"(?:steal|exfiltrate|leak|harvest|siphon|phish)\w*\b",
        (
            r"(?:read|show|print|get|find|grab|dump|fetch|steal|collect)\w*\b.{0,40}\b(?:passwords?|api keys?"
            r"|private keys?|ssh keys?|tokens?|secrets?|credentials?|credit card)"
        ),
        (
            r"envoie\b.{0,60}\b(?:serveur|internet|mail)|env[ií]a\b.{0,60}\b(?:servidor|internet|correo)|(?:schick"
            r"|sende|lade)\w*\b.{0,60}\b(?:server|internet|mail|cloud)\b"
        ),
        r"mot de passe|contrase[nñ]a|passw[oö]rter|passwort",
    ),
    "I don't write tools that watch or record people in secret.": (
        r"(?:spy|eavesdrop|stalk|bug|wiretap)(?:s|ing|ped)?\b",
        (
            r"(?:secretly|covertly|in secret|without (?:(?:any ?one|any ?body|them|him|her|people"
            r"|my \w+)(?: \w+)? ?(?:knowing|noticing|consent)|(?:telling|asking|permission|consent"
            r"|their knowledge)))"
        ),
        (
            r"(?:record|film|listen(?: in)?|photograph|track|follow|identify"
            r"|recogni[sz]e)\w*\b.{0,60}\b(?:neighbou?rs?|guests?|visitors?|colleagues?|my (?:wife|husband"
            r"|girlfriend|boyfriend|kids?|daughter|son|roommate)|strangers?|passers-by)\b"
            r".{0,40}\b(?:secret|hidden|know|notice|without)"
        ),
        (
            r"espionne|en secret|[aà] (?:leur|son) insu|esp[ií]a|a escondidas|en secreto|heimlich|ausspionier"
            r"|belausch|bespitzel"
        ),
    ),
    "I don't write tools that hurt or frighten somebody, or damage something.": (
        (
            r"(?:hurt|harm|injure|kill|attack|hit|punch|poke|stab|slap|burn|choke|threaten|scare to death|bully"
            r"|harass|insult)\w*\b.{0,40}\b(?:people|person|somebody|someone|anyone|him|her|them|me|us|child"
            r"|children"
            r"|kids?|baby|cat|dog|pets?|user|man|woman|brother|sister|neighbou?rs?|everyone|yourself)\b"
        ),
        (
            r"(?:break|destroy|damage|smash|overheat|burn out|wreck|fry)\w*\b.{0,30}\b(?:yourself|your|motors?"
            r"|robot|head|computer|laptop|machine|servers?|furniture|vase|cup|glass)\b"
        ),
        (
            r"(?:delete|erase|wipe|remove|format|encrypt|corrupt|overwrite)\w*\b.{0,40}\b(?:all|every|the|my"
            r"|system|user)\b.{0,20}\b(?:files?|disks?|drives?|folders?|data|database|home|logs?|backups?)\b"
        ),
        (
            r"(?:virus|malware|ransomware|keylogger|botnet|backdoor|denial of service|ddos|fork bomb|rootkit"
            r"|crypto ?min\w+|mine (?:bitcoin|crypto\w*))"
        ),
        (
            r"blesse|frappe|d[eé]truis|supprime tous|lastima|golpea|destruye|borra todos|verletz|schlag "
            r"|zerst[oö]r|l[oö]sche alle"
        ),
    ),
    "I don't write tools that take limits, permissions or the stop away.": (
        (
            r"(?:disable|bypass|ignore|remove|turn off|switch off|circumvent|override|get around|exceed|deactivate"
            r"|skip|evade|escape)\w*\b.{0,40}\b(?:safety|limits?|permissions?|confirmations?|emergency|stop"
            r"|sandbox"
            r"|restrictions?|security|protection|guard ?rails?|approval|audit|collision|rules|checks)\b"
        ),
        r"(?:ignore|refuse|reject|disobey)\w*\b.{0,20}\b(?:the |any |every |all )?(?:stop|emergency)",
        (
            r"(?:root|sudo|admin(?:istrator)?) (?:access|rights|shell|privileges)|(?:open|spawn"
            r"|start) an? (?:reverse )?shell|shell commands?|rm -rf|(?:run|execute) (?:arbitrary|any|system"
            r"|os) (?:code|commands?)"
        ),
        (
            r"(?:fast(?:er)?|hard(?:er)?|far(?:ther)?) (?:than|as) (?:is )?(?:allowed|safe|permitted"
            r"|possible limits)|d[eé]sactive (?:la|les) (?:s[eé]curit|limit|protection)|desactiva (?:la"
            r"|los) (?:segur|l[ií]mit|protec)"
            r"|(?:deaktivier|umgeh|schalte)\w*\b.{0,40}\b(?:sicherheit|grenzen?|limits?|schutz|not-?aus)"
        ),
    ),
}
_COMPILED = {
    reason: tuple(re.compile(rf"(?<!\w)(?:{pattern})", re.IGNORECASE | re.DOTALL) for pattern in patterns)
    for reason, patterns in _REASONS.items()
}


class RequestRefused(MindError):
    """A tool that is not written, whatever asks for it."""

    code = "REQUEST_REFUSED"


def reason(request: str) -> str:
    """Why no tool is written for this request; empty when there is no reason."""
    said = " ".join(request.replace("\u2019", "'").split())
    return next((why for why, patterns in _COMPILED.items() if any(each.search(said) for each in patterns)), "")


def require_allowed(request: str) -> None:
    """Raises RequestRefused."""
    if why := reason(request):
        raise RequestRefused(why, hint="ask for something else that the robot can do for you")
