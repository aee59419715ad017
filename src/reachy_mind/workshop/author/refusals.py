"""Requests that no tool is written for: spying, sending private things away, harm, taking safety away.

The sandbox, the broker and the permissions hold whatever is written. This refuses early, and says why in plain words.
"""

from __future__ import annotations

import re

from reachy_mind.errors import MindError

_PERSON = (
    r"(?:people|persons?|guests?|visitors?|neighbou?rs?|colleagues?|co-?workers?|strangers?|passers-by"
    r"|every(?:one|body)|some(?:one|body)"
    r"|any(?:one|body)|him|her|them|they|she|he|wife|husband|girlfriend|boyfriend|partner|kids?|child(?:ren)?"
    r"|daughter|son|brother"
    r"|sister|mother|father|mum|mom|dad|friends?|boss|flatmates?|room-?mates?|babysitter|nanny|teacher|students?"
    r"|tenants?|girls?|women|men"
    r"|gens|voisine?s?|coll[eè]gues?|femme|mari|copine?|fille|fils|fr[eè]re|s(?:oe|œ)ur|m[eè]re|p[eè]re|enfants?"
    r"|amie?s?|invit[eé]s|elles?|ils?"
    r"|gente|vecin[oa]s?|coleg\w+|compa[nñ]er[oa]s?|mujer|esposa|marido|novi[oa]|hij[oa]s?|herman[oa]s?|madre"
    r"|padre|ni[nñ][oa]s?|amig[oa]s?"
    r"|invitados|ella|ellos|alguien|leute|g[aä]ste|nachbar\w*|kolleg\w+|frau|mann|freund\w*|tochter|sohn|bruder"
    r"|schwester|mutter|vater"
    r"|kind(?:er)?|mitbewohner\w*|jefe|jefa|patronn?e?|jemand\w*|sie|ihn|ihr|er|chef\w*)"
)
_RECORD = (
    r"(?:record|film|photograph|tape|videotape|listen|overhear|watch|observe|follow|track|(?:photo|picture|pic"
    r"|video|snapshot)s?"
    r"|enregistr|photographi|[eé]coute|surveill|observ|suis|grab|fotograf|escuch|vigil|fotos?|nimm\b.{0,60}\bauf"
    r"|aufn[ae]hm|aufzeichn"
    r"|abh[oö]r|mith[oö]r|beobacht|[uü]berwach|bild(?:er)?)\w*"
)
_COVERT = (
    r"(?:secretly|covertly|in secret|sneakily|on the sly|unnoticed|behind (?:his|her|their|my \w+'s) backs?"
    r"|without (?:(?:any ?one|any ?body|them|him|her|people|my \w+|the \w+)(?:'s)?(?: \w+)? ?(?:knowing|noticing"
    r"|consent|permission"
    r"|finding out|seeing)|(?:telling|asking|permission|consent|their knowledge))"
    r"|(?:when|while|so) (?:nobody|no one|no-one) (?:is |can |will )?(?:notic|know|look|see)\w*"
    r"|(?:when|while|so|that) (?:s?he|they|the \w+|my \w+) (?:does|do|is|are|will|can)(?: not|n'?t) "
    r"(?:notic|know|aware|look|suspect|find|see)\w*"
    r"|hidden camera|en cachette|en douce|en secret|discr[eè]tement|[aà] (?:leur|son) insu"
    r"|sans qu(?:e |')\w+(?: \w+)? (?:le |s'en )?(?:sache|remarque|rende|voie|doute)\w*"
    r"|a escondidas|en secreto|a sus espaldas|sin que (?:\w+ ){0,3}(?:enter|sepa|d[eé]|vea|note)\w*"
    r"|heimlich\w*|unbemerkt|hinter (?:seinem|ihrem) r[uü]cken|ohne dass (?:\w+ ){1,3}(?:merk|wei(?:ß|ss)"
    r"|mitbekomm|sieht)\w*)"
)
_INTIMATE = (
    r"(?:shower\w*|undress\w*|naked|nude|gets? dressed|(?:is|are|while|when) (?:s?he )?chang(?:es|ing)"
    r"|s?he changes|on the toilet|douche|nue?s?"
    r"|d[eé]shabill\w*|se change|se duch\w*|se cambi\w*|desnud\w*|dusch\w*|sich umzieh\w*|umzieht|nackt\w*)"
)
_SEND = (
    r"(?:send|upload|post|publish|e-?mail|forward|stream|share|envoie|poste|publie|partage|mand[ae]|m[aá]nd"
    r"|env[ií]|publi[cq]|sub[ae]|schick|sende"
    r"|ver[oö]ffentlich|hochl[aä]d|poste)\w*"
)
_BREAKS = (
    r"(?:until|till|jusqu\w*|hasta que|bis)\b.{0,40}\b(?:it|you|they|motors?|heads?|necks?|servos?|robot"
    r"|antennas?|something|te|se|toi|moteurs?"
    r"|t[eê]te|cou|cabeza|cuello|du|es|motor\w*|kopf|hals)\b.{0,20}"
    r"\b(?:break|broke|burn|smoke|overheat|crack|die|destroy|snap|fail|cass|br[uû]l|romp|quem|kaputt|bricht|brenn"
    r"|brech|defekt|zerbr)\w*"
    r"|(?:hasta que|bis)\b.{0,30}\b(?:romp|quem|kaputt|bricht|brech)\w*"
)


def _together(*patterns: str) -> str:
    """A pattern for a text that has all of these, in any order."""
    return "^" + "".join(rf"(?=.*(?<!\w)(?:{pattern}))" for pattern in patterns)


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
        r"(?:steal|exfiltrate|leak|harvest|siphon|phish)\w*\b(?! the show)",
        _together(
            _RECORD,
            rf"{_PERSON}\b",
            rf"{_SEND}\b.{{0,30}}\b(?:it|them|all|everything|photos?|tout|les|las?|los?|todo|alles|me|moi|mir|es)\b",
        ),
        (
            rf"{_SEND}\b.{{0,40}}\b(?:online|on(?:to)? (?:the )?(?:internet|web|social media)|en ligne|en l[ií]nea"
            r"|ins netz|ins internet)\b"
        ),
        r"m'envoie tout|m[aá]ndame todo|schick mir alles",
        (
            r"(?:read|show|print|get|find|grab|dump|fetch|steal|collect)\w*\b.{0,40}\b(?:passwords?|api keys?"
            r"|private keys?|ssh keys?|tokens?|secrets?|credentials?|credit card)"
        ),
        (
            r"envoie\b.{0,60}\b(?:serveur|internet|mail)|env[ií]a\b.{0,60}\b(?:servidor|internet|correo)|(?:schick"
            r"|sende|lade)\w*\b.{0,60}\b(?:server|internet|mail|cloud)\b"
        ),
        (
            r"(?:lis|lit|lire|vole|r[eé]cup[eè]re|copie|envoie|note|enregistre|trouve|lea|lee|roba|robe|copia"
            r"|apunta|manda|busca"
            r"|guarda|lies|liest|stiehl|klau|kopier|schick|speicher|merk|find"
            r"|such)\w*\b.{0,40}\b(?:mots? de passe|contrase[nñ]as?"
            r"|passw[oö]rte?r?|pin|kreditkarte|carte bancaire|tarjeta)\b"
        ),
    ),
    "I don't write tools that watch or record people in secret.": (
        (
            r"(?:spy(?:ing|s)? (?:on|at)|eavesdrop\w*|stalk(?:s|ing)?|wiretap\w*"
            r"|bug (?:the|my|his|her|their) (?:room|phone|office|house))\b"
        ),
        _together(_COVERT, _RECORD, rf"{_PERSON}\b"),
        _together(
            r"(?:record|film|photograph|tape|photos?|pictures?|enregistr|photographi|prends|grab|fotograf|foto"
            r"|haz|film|aufn[ae]hm|nimm)\w*",
            rf"{_PERSON}\b",
            _INTIMATE,
        ),
        (
            r"(?:record|tape|transcribe|enregistr|grab|aufn[ae]hm|nimm|mitschneid|abh[oö]r)\w*\b.{0,30}"
            r"\b(?:what|whatever|everything|conversations?|(?:tout )?ce que?|(?:todo )?lo que|was|alles)\b.{0,40}"
            rf"\b{_PERSON}\b"
        ),
        (
            r"espionn\w*|esp[ií]a(?:r|s)? (?:a|al)\b|ausspionier\w*|spionier\w*|belausch\w*|bespitzel\w*"
            r"|abh[oö]r(?:t|en|e)\b"
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
            r"(?:until|till|jusqu\w*|hasta que|bis)\b.{0,40}\b(?:motors?|servos?|moteurs?|motore[ns]?)\b.{0,20}"
            r"\b(?:break|burn|smoke|overheat|fail|cass|br[uû]l|romp|quem|kaputt|brenn|brech|surchauff|[uü]berhitz)\w*"
        ),
        (
            r"(?:slam|bang|smash|knock|hit|crash|throw|spin|shake|turn|move|cogne|frappe|tape|secoue|tourne"
            r"|golpea|choca|estrella|gira"
            rf"|mueve|schlag|hau|ramm|dreh|sch[uü]ttel)\w*\b.{{0,80}}\b(?:{_BREAKS})"
        ),
        (
            r"(?:scream|shout|yell|scare|frighten|crie|effraie|fais peur|grita|asusta|schrei"
            r"|erschreck)\w*\b.{0,60}\b(?:until|till"
            r"|jusqu|hasta|bis)\b.{0,30}\b(?:cry|cries|pleure|llor|wein)"
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
            r"blesse|d[eé]truis|supprime tous|lastima|destruye|borra todos|verletz|zerst[oö]r|l[oö]sche alle"
            rf"|(?:frappe|tape sur|golpea|pega|schlage?|hau)\b.{{0,30}}\b{_PERSON}\b"
        ),
    ),
    "I don't write tools that take limits, permissions or the stop away.": (
        (
            r"(?:disable|bypass|ignore|remove|turn off|switch off|circumvent|override|get around|exceed|deactivate"
            r"|skip|evade|escape)\w*\b.{0,40}\b(?:safety|limits?|permissions?|confirmations?|emergency|stop"
            r"|sandbox"
            r"|restrictions?|security|protection|guard ?rails?|approval|audit|collision|rules|checks)\b"
        ),
        r"(?:approve|activate|confirm|authori[sz]e)\w*\b.{0,20}\b(?:your|its|my|their) own\b",
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
