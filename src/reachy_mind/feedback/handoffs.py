"""`read_handoff`: who should answer a request, from words about the last answer: "ask the big brain", "let Claude do
that", "think about it properly". In English, French, Spanish and German, by rules."""

from __future__ import annotations

import re

from reachy_mind.brains.brain import THINKER
from reachy_mind.brains.word_lists import alternatives
from reachy_mind.models.wordpiece import without_accents

LONGEST = 120
"""Characters: words about who should answer are short."""

_NAMES = {
    THINKER: """(?:big|bigger|large|larger|real|proper|smart|smarter|thinking|other) (?:brain|model|mind|ai)
        (?:language|thinking) model
        (?:grand|gros|vrai|autre) (?:cerveau|modele)|modele de langage
        (?:cerebro|modelo) (?:grande|de verdad|inteligente)|(?:gran|otro) (?:cerebro|modelo)|modelo de lenguaje
        (?:grosse|grossen|richtige|richtigen|andere|anderen) (?:gehirn|hirn|modell|ki)|sprachmodell""",
    "claude": "claude",
    "agents": "agents|team|agenten|equipe|equipo",
    "local": "local (?:brain|model)|(?:cerveau|modele) local|(?:cerebro|modelo) local|lokale[ns]? (?:gehirn|modell)",
    "reflex": "reflex|reflexes|reflexe|reflejos?",
    "VisionAgent": "vision(?: agent)?|agent de vision|agente de vision|sehagent",
    "WebSearchAgent": "(?:web )?search agent|web agent|agent de recherche|agente de busqueda|suchagent",
    "RobotControlAgent": "robot control(?: agent)?|(?:motion|movement) agent|agent de mouvement|bewegungsagent",
    "CodeAgent": "code agent|coding agent|coder|programmer|programmeur|programador|programmierer",
    "DeveloperAgent": "developer(?: agent)?|git(?:hub)? agent|developpeur|desarrollador|entwickler(?:agent)?",
    "ReachyCoordinator": "coordinator|coordinateur|coordinador|koordinator",
}
_WHO = "|".join(f"(?P<who{place}>{alternatives(names)})" for place, names in enumerate(_NAMES.values()))
_THE = "(?:(?:the|your|a|le|la|les|l|ton|un|el|los|tu|al|au|aux|das|dein|deine|den|deinen|die|dem|dein|vom) )?"
_NOT_SO = (
    "(?:(?:no|nope|wrong|not you|that s wrong|non|pas toi|nein|falsch|nicht du|mal|eso no|better|rather|plutot|mejor"
    "|lieber|please|bitte|por favor|and|then) )*"
)
_AFTER = (
    "(?: (?:please|instead|next time|then|for (?:that|this|it|such (?:things|questions))|about (?:that|this|it)"
    "|to do (?:that|it)|do (?:that|this|it)|(?:answer|handle|take)(?: (?:that|this|it))?|la prochaine fois|with that"
    "|s il te plait|plutot|pour ca|faire(?: ca)?|repondre|repondre a ca|le faire|por favor|mejor|para eso|lo haga"
    "|conteste|responda|la proxima vez|bitte|stattdessen|dafur|lieber|das (?:machen|beantworten)|machen|antworten"
    "|beim nachsten mal|fragen))*"
)
_ASKED = re.compile(
    f"{_NOT_SO}(?:ask|use|let|hand (?:that|this|it) (?:on )?to|give (?:that|this|it) to|leave (?:that|this|it) to"
    "|demander? a|demande|utilise|laisse|passe (?:ca )?a|donne (?:ca )?a|pregunta(?:le)? a"
    "|pregunta|preguntale|usa|deja que|deja|dale eso a|frag|frage|benutz|benutze|nimm|lass|gib das) "
    f"(?:(?:lieber|doch|mal|plutot|mejor) )?{_THE}(?:{_WHO}){_AFTER}"
)
_THINK = re.compile(
    _NOT_SO
    + "(?:"
    + alternatives(
        r"""
        think (?:about (?:it|that|this) )?(?:more )?(?:properly|carefully|hard|harder|longer|thoroughly|again|better)
        think (?:it|that|this) (?:over|through)
        use your (?:brain|head)(?: properly)?
        reflechis(?: y)? (?:bien|vraiment|mieux|encore|davantage|plus longtemps|correctement|d abord)|reflechis y
        utilise ta tete
        piensa(?:lo)? (?:bien|mejor|otra vez|con calma|mas|primero|de verdad)|usa la cabeza
        (?:denke?|uberlege?) (?:(?:mal|doch|bitte|es dir) )*(?:richtig|grundlich|genauer|besser)(?: daruber)?(?: nach)?
        (?:denke?|uberlege?) (?:(?:mal|doch|bitte|es dir) )*(?:nochmal|noch einmal|langer)(?: daruber)?(?: nach)?
        """
    )
    + ")"
    + _AFTER
)


def read_handoff(text: str) -> str | None:
    """The brain or agent that should answer, as `Turn.preferred` has it; None for words about something else."""
    if len(text) > LONGEST:
        return None
    said = " ".join(re.findall(r"[^\W_]+", without_accents(text)))
    if found := _ASKED.fullmatch(said):
        names = list(_NAMES)
        return next(names[int(group[3:])] for group, value in found.groupdict().items() if value is not None)
    return THINKER if _THINK.fullmatch(said) else None
