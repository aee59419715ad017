"""Verbs as one asks a robot for something: "waves" is "wave", "me dire de" is "dis-moi de", "sagen" is "sag"."""

from __future__ import annotations

import re

_THIRD_PERSON = {
    "en": re.compile(
        (
            r"\b(take|wave|nod|say|look|turn|dance|shake|wiggle|show|tell|play|wait|count|follow|check|announce"
            r"|signal"
            r"|send|track|move|greet|photograph"
            r"|describe|report|listen|blink|tilt|rotate|spin|snap|speak|monitor|observe|alert|warn|rest|raise"
            r"|lower|smile"
            r"|wake|monitor|beep|keep)s\b"
        ),
        re.IGNORECASE,
    ),
}


def _forms(text: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in text.split())


_IRREGULAR = {
    "en": _forms(
        """
        watches=watch does=do goes=go flashes=flash searches=search notifies=notify tallies=tally
        """
    ),
    "fr": _forms(
        """
        dit=dis prend=prends fait=fais prennes=prends dises=dis fasses=fais hoches=hoche danses=danse
        regardes=regarde suit=suis suives=suis comptes=compte surveilles=surveille attend=attends
        """
    ),
    "es": _forms(
        """
        asienta=asiente diga=di digas=di tomes=toma tome=toma haga=haz hagas=haz salude=saluda
        saludes=saluda baile=baila bailes=baila asientas=asiente mire=mira mires=mira saque=saca saques=saca
        cuente=cuenta cuentes=cuenta siga=sigue sigas=sigue vigiles=vigila vigile=vigila
        """
    ),
    "de": _forms(
        """
        nickt=nicke sagt=sag winkt=winke tanzt=tanze schaut=schau machst=mach macht=mach zählt=zähle
        verfolgt=verfolge beobachtet=beobachte nickst=nicke winkst=winke sagst=sag
        """
    ),
}
_INFINITIVES = {
    "fr": {"dire": "dis", "prendre": "prends", "faire": "fais", "suivre": "suis", "attendre": "attends"},
    "es": {
        "decir": "di", "hacer": "haz", "seguir": "sigue", "contar": "cuenta", "mover": "mueve", "asentir": "asiente",
        "avisar": "avisa", "poner": "pon", "tener": "ten", "perseguir": "persigue", "dormir": "duerme",
    },
    "de": {
        "sagen": "sag", "machen": "mach", "nicken": "nicke", "winken": "winke", "z\u00e4hlen": "z\u00e4hle",
        "verfolgen": "verfolge", "folgen": "folge", "beobachten": "beobachte", "schauen": "schau",
        "wackeln": "wackle", "tanzen": "tanze", "sch\u00fctteln": "sch\u00fcttle", "erinnern": "erinnere",
        "bewegen": "bewege", "aufpassen": "pass auf", "warnen": "warne", "rufen": "ruf", "warten": "warte",
        "morsen": "morse", "\u00fcberwachen": "\u00fcberwache", "fotografieren": "fotografiere",
    },
}  # fmt: skip
_GERUND = re.compile(
    r"^(tak|wav|nodd|say|look|turn|danc|shak|wiggl|count|follow|track|watch|monitor|mov|tell|play|blink)ing\b",
    re.IGNORECASE,
)
_BASES = {
    "tak": "take",
    "wav": "wave",
    "nodd": "nod",
    "danc": "dance",
    "shak": "shake",
    "wiggl": "wiggle",
    "mov": "move",
}


def imperative(text: str, language: str) -> str:
    """As one asks a robot for it: "waves" is "wave", "tomes" is "toma"."""
    for form, base in _IRREGULAR.get(language, {}).items():
        text = re.sub(rf"\b{form.strip()}\b", base, text)
    if pattern := _THIRD_PERSON.get(language):
        text = pattern.sub(r"\1", text)
    text = _from_infinitive(text, language)
    if language == "de":  # the verb of a subordinate clause comes last
        text = re.sub(r"(\w+) sag\b(?=$|[,.;]| und)", r"sag \1", text)
    if language == "en" and (found := _GERUND.match(text)):
        text = _BASES.get(found[1].casefold(), found[1]) + text[found.end() :]
    return text


def _from_infinitive(text: str, language: str) -> str:
    """A request with an infinitive, as after "can you", as an imperative: "me dire de" is "dis-moi de"."""
    known = _INFINITIVES.get(language, {})
    if language == "de":
        first = text.split(" ", 1)[0].casefold()
        found = re.search(rf"[\s,]*\b(?P<verb>{'|'.join(known)})\b", text, re.IGNORECASE)
        if found is None or first in {value.split()[0] for value in known.values()} or first in known:
            return text
        rest = f"{text[: found.start()]} {text[found.end() :].strip()}".strip()
        return f"{known[found['verb'].casefold()]} {rest}".strip()
    if language not in ("fr", "es"):
        return text
    pattern = (
        r"^(?:(?P<me>me|nous) |m')?(?P<verb>\w+(?:er|ir|re))\b"
        if language == "fr"
        else (r"^(?P<verb>\w+[aei]r)(?P<me>me|nos)?\b")
    )
    found = re.match(pattern, text, re.IGNORECASE)
    if found is None:
        return text
    verb = known.get(found["verb"].casefold()) or _regular(found["verb"], language)
    if verb is None:
        return text
    pronoun = {"me": "-moi", "nous": "-nous"}.get(found["me"], "") if language == "fr" else found["me"] or ""
    return f"{verb}{pronoun}{text[found.end() :]}"


def _regular(infinitive: str, language: str) -> str | None:
    """The imperative of a regular verb: "regarder" is "regarde", "bailar" is "baila"."""
    if language == "fr":
        return infinitive[:-1] if infinitive.endswith("er") else None
    return f"{infinitive[:-2]}{'a' if infinitive.endswith('ar') else 'e'}"
