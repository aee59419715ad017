"""Whether somebody who said this, and then fell silent, has finished: by what a plan still lacks, or may get.

Asked at every pause of somebody who speaks. "Turn your head" will go on; "nod" may ("three times", "and wave"); "turn
your head to the left by ten degrees" seldom does. What can't be taken back, or would be done twice if they went on, is
begun a little later.
"""

from __future__ import annotations

import re

from reachy_mind.brains.reflex.numbers import ONES, TENS
from reachy_mind.brains.reflex.plan import Ask, Guess, Pause, Plan, Step, Talk, Unknown

WHOLE, EXTENSIBLE, OPEN, BROKEN = 0.9, 0.7, 0.5, 0.2
GOES_ON = frozenset({"move_head", "look_at", "rotate", "set_timer", "set_reminder", "search_web", "get_weather"})
"""What is seldom asked for without saying more."""
EXTENDED = frozenset({"nod", "shake", "wave", "take_photo", "move_head", "look_at", "rotate", "set_antennas", "dance"})
"""What people often add to after a pause: how often, how far, of what, and then what."""
EXTENSIONS = frozenset({"times", "degrees", "speed", "repeat", "duration"})
FEW_WORDS = 4
"""A request with more of them has said most of it."""
COUNTED = frozenset({"nod", "shake", "wave", "rotate", "move_head", "set_timer", "set_reminder"})
"""After a number these want to know of what: "set a timer for twenty"."""
LASTING = frozenset(
    {"set_timer", "set_reminder", "cancel_timer", "store_memory", "forget_memory", "update_user_profile", "sleep"}
)
"""What stays done."""
TELLING = frozenset(("@report", "@tell", "@complaint"))
"""Who tells something, or how they feel, often tells more."""
_NUMBERS = (
    set(ONES)
    | set(TENS)
    | set(
        """
        a hundred deux trois quatre cinq six sept huit neuf dix quinze vingt trente quarante cinquante soixante cent
        dos tres cuatro cinco seis siete ocho nueve diez quince veinte treinta cuarenta cincuenta sesenta cien
        zwei drei vier fünf sechs sieben acht neun zehn fünfzehn zwanzig dreißig vierzig fünfzig sechzig hundert
        due tre quattro cinque sei sette otto nove dieci quindici venti trenta quaranta cinquanta sessanta cento
        """.split()  # noqa: SIM905
    )
) - {"one", "a"}  # "a sad one"
_LAST_WORDS = re.compile(r"(?:([\w']+)\W+)?([\w']+)\W*$")
_CLOCK = frozenset(("at", "by", "until", "à", "vers", "las", "um", "bis", "alle"))
"""Before a number that needs no unit: "at nine"."""


def finished(plan: Plan, text: str = "") -> float:
    """0 to 1. `text`: the words of the plan."""
    last = plan.parts[-1] if plan.parts else None
    bare = isinstance(last, Step) and last.tool in GOES_ON and not last.args
    if bare or any(isinstance(part, Ask) for part in plan.parts) or _lacks_unit(plan, text):
        return BROKEN
    misheard = all(isinstance(part, Guess | Pause) for part in plan.parts) or any(
        isinstance(part, Unknown) and part.why == "unsure" for part in plan.parts
    )
    if misheard or _tells(last):
        return OPEN
    lasting = any(step.tool in LASTING for step in plan.steps)
    asked = isinstance(last, Talk) and last.kind == "@knowledge"
    return EXTENSIBLE if lasting or asked or _may_get_more(last, text) else WHOLE


def _tells(last: object) -> bool:
    if isinstance(last, Unknown):
        return last.why == "talk"
    return isinstance(last, Talk) and (last.kind in TELLING or last.kind.startswith("@feel"))


def _may_get_more(last: object, text: str) -> bool:
    if not isinstance(last, Step) or last.tool not in EXTENDED:
        return False
    return len(text.split()) <= FEW_WORDS and not EXTENSIONS & set(last.args)


def _lacks_unit(plan: Plan, text: str) -> bool:
    """Whether it ends with a number of nothing."""
    found = _LAST_WORDS.search(text.casefold())
    if found is None or not any(step.tool in COUNTED for step in plan.steps[-1:]):
        return False
    before, last = found.groups()
    return (last.isdigit() or last in _NUMBERS) and before not in _CLOCK
