"""Questions without what people put around them: "my grandson would like to know what the tallest animal is".

A greeting, a remark before or after, and a wish to have it explained say nothing about what is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 300
_OPENING = re.compile(
    r"^\W*(?:(?:hey|hi|hello|so|well|um+|erm*|uh+m?|hm+|ok(?:ay)?|now|right|dear|robot|reachy|listen|excuse me"
    r"|quick question"
    r"|bonjour|salut|euh|alors|hola|oye|pues|hallo|also|[aä]hm?|sag mal)\b[\s,.!:]*)+",
    re.I,
)
_CLOSING = re.compile(
    r"[\s,]+(?:pls|plz|please|thanks|thank you|dear|mate|buddy|then|though|mein lieber"
    r"|stp)\W*$",
    re.I,
)
_ASIDE = re.compile(r",? (?:dear|please|mate|buddy|my friend|by the way),?(?= )", re.I)
_ON_BEHALF = re.compile(
    r"^\W*(?:my|our|the) [\w' ]{2,25}? (?:would like|wants|wanted|asks?|asked|needs|is asking|wonders)(?: me"
    r"| us)?(?: to know)?[\s,]*"
    r"|^\W*(?:we|i) (?:were|was|are|am) (?:just )?wondering[\s,]*|^\W*(?:do you know|tell me|can you tell me"
    r"|could you tell me)[\s,]*",
    re.I,
)
_EXPLAIN = re.compile(
    r"^\W*(?:(?:can|could|would|will) you )?(?:please )?(?:explain|describe)(?: to me"
    r"| to us)? what (?P<a>.+?)(?: means?| is| are)\W*$"
    r"|^\W*what does (?:the word )?(?P<b>.+?) mean\W*$",
    re.I,
)
_TURNED = re.compile(
    r"^\W*(?P<ask>what|who|where|which \w+) (?P<what>(?:the|a|an) .+) (?P<be>is|are|was"
    r"|were)\W*$",
    re.I,
)


def plainer(text: str) -> Iterator[str]:
    """Shorter ways to ask the same, the nearest first; none for a plain question."""
    if len(text) > LONGEST:
        return
    seen = {text}
    sentences = [each for each in re.split(r"(?<=[.!?])\s+", text.strip()) if each]
    asked = [each for each in sentences if each.endswith("?")]
    start = asked[0] if len(asked) == 1 and len(sentences) > 1 else text
    for each in (start, _ASIDE.sub("", start)):
        bare = _CLOSING.sub("", _OPENING.sub("", each))
        for shorter in (each, bare, _ON_BEHALF.sub("", bare)):
            for way in (shorter, _turned(shorter)):
                if way and way not in seen:
                    seen.add(way)
                    yield way


def _turned(text: str) -> str:
    """ "what the tallest animal is" as a question, and what something means."""
    if explained := _EXPLAIN.match(text):
        return f"what is {explained['a'] or explained['b']}"
    found = _TURNED.match(text)
    return f"{found['ask']} {found['be']} {found['what']}" if found else ""
