"""Words with which people take back what they said, before they say what they want instead."""

from __future__ import annotations

import re

_TAKEN_BACK = re.compile(
    r"\W*(?:(?:no|nope|wait|stop|sorry|actually|hang on)[,.;! ]+)*"
    r"(?:no|nope|wait|sorry|actually|hang on|forget (?:it|that|about it)|never ?mind(?: that)?|scrap that"
    r"|leave (?:it|that)|not that(?: one)?|wrong"
    r"|(?:that (?:is|was)|that's|thats) (?:wrong|not right|not what i (?:said|meant|wanted)))"
    r"\s*[,.;!:\N{EM DASH}-]+\s*(?:but )?(?:i (?:said|meant|mean|want(?:ed)?)(?: you to)? )?(?P<rest>\w.*)",
    re.IGNORECASE | re.DOTALL,
)


def instead(text: str) -> str:
    """What is wanted instead; empty when nothing was taken back, or nothing is wanted in its place."""
    found = _TAKEN_BACK.fullmatch(text.strip().replace("\u2019", "'"))
    return found["rest"].strip() if found else ""
