"""Talk about the tools that the robot made: "go back to the old version of ...", "stop using ...", "show me the code".

A tool is named by the words of its name, or by those of a sentence that calls it: "the photo tool".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reachy_mind.brains.brain import Turn
from reachy_mind.brains.reflex.plan import Part, Plan, Step, Talk
from reachy_mind.brains.reflex.tool_sentences import words_said
from reachy_mind.brains.word_lists import alternatives, spaced
from reachy_mind.models.wordpiece import without_accents
from reachy_mind.tools.definition import GENERATED, Tool

# Patterns of four languages without accents.
_OLDER = re.compile(
    alternatives(
        r"""
        \b(?:old|older|previous|earlier|former|last|first|original)\b.*\bversion\b
        \bversion (?P<number>\d+)\b
        \broll(?:ing)? ?back\b
        \b(?:ancienne|precedente|derniere|premiere) version\b|\bversion (?:precedente|d'avant|anterieure)\b
        \bversion (?:anterior|vieja|antigua|previa)\b
        \b(?:alte|vorige|fruhere|vorherige|letzte|erste)[nr]? version\b
        """
    )
)
_NO_LONGER = re.compile(
    alternatives(
        r"""
        \b(?:stop|quit) using\b|\b(?:don'?t|do not|never|no longer) use\b|\b(?:deactivate|disable|uninstall|retire)\b
        \b(?:delete|remove|get rid of|throw away|forget|drop|switch off|turn off)\b(?=.*\b(?:tool|skill|program)\b)
        \bn'utilise plus\b|\bn'emploie plus\b|\bdesactive\b|\barrete d'utiliser\b
        \b(?:supprime|enleve|oublie|jette)\b(?=.*\b(?:outil|programme)\b)
        \b(?:deja de usar|no uses|no utilices|desactiva)\b
        \b(?:borra|elimina|quita|olvida)\b(?=.*\b(?:herramienta|programa)\b)
        \b(?:benutze?|verwende?|nimm)\b.*\bnicht mehr\b|\bdeaktiviere?\b|\bhor auf\b.*\b(?:benutzen|verwenden)\b
        \b(?:losche?|entferne?|vergiss|wirf)\b(?=.*\b(?:werkzeug|tool|programm)\b)
        """
    )
)
_END = re.compile(
    alternatives(
        r"""
        ^\W*(?:please |now |ok |okay )*(?:stop|quit|end|cancel|abort|finish)\b(?! using)
        ^\W*(?:arrete|cesse|annule|termine)\b(?! d'utiliser)
        ^\W*(?:deja de|para de|cancela|termina)\b(?! usar)
        ^\W*(?:hor auf|beende|brich|stoppe?)\b(?!.*\b(?:benutzen|verwenden)\b)
        """
    )
)
"""The end of a run, not of the tool."""
_CODE = re.compile(
    r"(?<!morse )\b(?:source|quell|programm)?-?(?:code|codigo)\b(?! morse)|\bhow (?:is|was) .* (?:written|programmed)\b"
)
_SHOW = re.compile(
    r"\b(?:show|see|look at|tell|what|read|explain|how|montre\w*|voir|quel|explique|muestra\w*|ensena\w*|ver|cual"
    r"|explica|zeige?|sehen|wie|erklare?)\b"
)
_TOOL_WORD = re.compile(r"\b(?:tool|skill|outil|herramienta|werkzeug)s?\b")
_LITTLE = frozenset(
    spaced(
        """
        the a an of to your my it its that this tool tools skill version old older previous show me code stop using use
        for with and do run start i want every seconds minutes minute please now again
        le la les un une de du des l d ton ta mon cet cette outil et pour avec toutes secondes minutes
        el los las una tu mi este esta herramienta y para con cada segundos minutos
        der die das den dem ein eine einen dein mein von zu werkzeug und mit alle sekunden minuten
        """
    )
)
SHORTEST_STEM = 4


def made(tools: Sequence[Tool]) -> list[Tool]:
    """The tools that the robot made."""
    return [tool for tool in tools if tool.source == GENERATED]


def examples(tools: Sequence[Tool]) -> str:
    """How people ask for the tools that the robot made: one sentence for each; empty without any."""
    return ", ".join(f"“{said}”" for tool in made(tools) if (said := words_said(tool) or _spoken(tool)))


def plan(turn: Turn, language: str) -> Plan | None:
    """What to do about a tool that the robot made; None when the turn is about none."""
    said = without_accents(turn.text.casefold())
    older, dropped, code = _OLDER.search(said), _NO_LONGER.search(said), _CODE.search(said) and _SHOW.search(said)
    ended = not dropped and _END.search(said)
    if not (older or dropped or code or ended):
        return None
    tool = named(said, made(turn.tools))
    if tool is None:
        return None
    part: Part
    if code:
        part = Talk("@abilities", turn.text, "tool_code", tool.name)
    elif dropped:
        part = Step("deactivate_tool", {"name": tool.name})
    elif ended:
        part = Step("task_cancel")
    else:
        number = older["number"] if older else None
        part = Step("rollback_tool", {"name": tool.name} | ({"version": int(number)} if number else {}))
    return Plan((part,), language)


def named(said: str, tools: Sequence[Tool]) -> Tool | None:
    """The tool that a sentence names; None when it names none, or two equally well."""
    words = _stems(said)
    counted = {tool.name: _share(tool, words) for tool in tools}
    best = max(counted.values(), default=0.0)
    found = [tool for tool in tools if counted[tool.name] == best] if best else []
    if not found and len(tools) == 1 and _TOOL_WORD.search(said):
        return tools[0]
    return found[0] if len(found) == 1 else None


def _share(tool: Tool, words: frozenset[str]) -> float:
    """How well words name a tool: those of its name count most; of its sentence, one word alone says nothing."""
    own, called = _stems(_spoken(tool)), _stems(without_accents(words_said(tool).casefold()))
    if not own & words and len(called & words) < 2:
        return 0.0
    return len(own & words) / max(len(own), 1) + 0.1 * len(called & words)


def _stems(said: str) -> frozenset[str]:
    """The beginnings of the words that mean something: "photos" and "photo" are one."""
    return frozenset(
        word[: max(SHORTEST_STEM, len(word) - 2)]
        for word in re.findall(r"[^\W_]+", said.replace("_", " "))
        if word not in _LITTLE
    )


def _spoken(tool: Tool) -> str:
    return tool.name.replace("_", " ")
