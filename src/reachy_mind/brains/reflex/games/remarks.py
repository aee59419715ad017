"""What players say in any game: hints, giving up, ending it, going on with it, in four languages."""

from __future__ import annotations

import re

from reachy_mind.brains.word_lists import alternatives
from reachy_mind.models.wordpiece import without_accents

MOST_WORDS = 8
"""Of somebody who gives up or wants a hint; with more words it is about something else."""


def heard(said: str) -> str:
    """Small letters, no accents, one space between words."""
    return " ".join(re.sub(r"[^\w']+", " ", without_accents(said).replace("\u2019", "'")).split())


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(alternatives(text))


_HINT = _pattern(
    r"""
    \bhints?\b|\bclue|\bhelp me\b|\btip\b|\bindices?\b|\baide[- ]moi\b|\bpistas?\b|\bayudame\b|\bayuda\b|\btipp\b
    \bhinweis\b|\bhilf mir\b|\bhilfe\b
    """
)
_GIVES_UP = _pattern(
    r"""
    \bgive up\b|\bi (?:do not|don't) know\b|\bno idea\b|\btell me(?: the answer| what it is)?$
    \bwhat(?: is|'s|s| was) (?:it|the (?:answer|solution))\b|^(?:the )?(?:answer|solution)(?: please)?$
    ^(?:la |et la )?(?:solution|reponse)(?: s'il te plait)?$
    ^(?:la )?(?:solucion|respuesta)$|^(?:die )?(?:losung|antwort)$
    \bquelle est la (?:reponse|solution)\b|\bcual es la (?:respuesta|solucion)\b|\bwas ist die (?:losung|antwort)\b
    \bdunno\b|\bpass$|\bskip\b|\bsay it$
    \bje (?:ne )?sais pas\b|\bj'?abandonne\b|\baucune idee\b|\bdonne[- ]moi la reponse\b|\bje donne ma langue\b
    \bc'est quoi\b|\bje passe\b|\bme rinds?o\b|\bno (?:lo )?se\b|\bni idea\b|\bdime(?:lo)?(?: la respuesta)?$|\bpaso$
    \bich gebe? auf\b|\bgeb auf\b|\bweiss (?:ich )?nicht\b|\bkeine ahnung\b|\bsag(?:'?s)? (?:es )?mir\b|\bwas ist es\b
    \bweiter$
    """
)
_ENDS = _pattern(
    r"""
    \b(?:stop|end|quit|leave|finish|exit|cancel)(?: with)? (?:the|this|our|that|all) (?:game|quiz|riddles?)\b
    \bno more (?:games?|riddles?|questions|playing)\b|\b(?:do not|don't) want to play\b|\bgame over\b|\bstop playing\b
    \b(?:arrete|arretons|stoppe|fini[sr]?|quitte) (?:le|ce|de|la|avec) ?(?:jeu|jouer|quiz|devinettes?)\b
    \bplus envie de jouer\b
    \bje (?:ne )?veux plus jouer\b|\bje (?:ne )?joue plus\b|\bon arrete (?:de jouer|le jeu)\b
    \b(?:para|termina|acaba|deja|detén|deten) (?:el|de|con el|ya el) ?(?:juego|jugar|concurso)\b
    \bno quiero (?:jugar|seguir) ?\b
    \b(?:fin del juego|terminemos|se acabo el juego)\b
    \b(?:beende|stopp|stoppe) (?:das|dieses|unser) ?(?:spiel|quiz|raten)\b|\bhor auf zu spielen\b
    \bspiel (?:beenden|zu ende|aus)\b
    \bich (?:will|mag|mochte) nicht mehr(?: spielen)?$|\bschluss mit (?:dem )?(?:spiel|quiz|raten|ratsel)
    """
)
_GOES_ON = _pattern(
    r"""
    \b(?:go on|continue|carry on|keep (?:on )?playing|resume)\b|\bback to (?:the|our) (?:game|quiz|riddle)
    \bwho (?:won|is winning|has won|wins)\b|\b(?:what(?:'s| is) the )?score$|\bqui (?:gagne|a gagne|mene)\b
    \bquien (?:gana|gano|va ganando)\b
    \bwer (?:gewinnt|hat gewonnen|fuhrt)\b|\b(?:wie ist der )?spielstand$
    ^(?:the |la |die )?(?:question|riddle|devinette|pregunta|adivinanza|frage)(?: (?:please|again|encore|bitte))?$
    \b(?:say|repeat|ask)(?: me)? (?:it|that|the question|the riddle)(?: again)?\b|\bwhat was the (?:question|riddle)\b
    \b(?:on continue|continuons|continue le jeu|reprends|reprenons)\b|\brepete\b
    \b(?:sigamos|seguimos|continua|continuemos|sigue) ?(?:jugando|el juego|con)?|\brepite\b
    \b(?:weiterspielen|weiter spielen|spielen wir weiter|mach weiter|weiter mit)\b|\bwiederhol
    """
)
_GUESSES = re.compile(
    r"^(?:is (?:it|that)|it is|it's|its|maybe|perhaps|i (?:think|guess|say)|an?|the|c'est|est ce|je (?:crois|pense"
    r"|dis)|un|une|le|la"
    r"|l'|peut etre|es|quizas|creo|una?|el|ein|eine|der|die|das|ist (?:es|das)|es ist|vielleicht|ich (?:glaube|denke"
    r"|sage))\b"
)
MOST_GUESSED = 7
_AGAIN = re.compile(
    r"^(?:(?:yes|yeah|yep|sure|ok|okay|please|again|another(?: one| round| riddle| game| question)?|one more(?: time"
    r"| round)?"
    r"|play again|once more|next(?: one)?|more|let's|go|revenge|rematch|of course|gladly|why not|do it|i do|come on"
    r"|let us"
    r"|oui|ouais|d'accord|encore(?: une?(?: fois| autre)?)?|une? autre|volontiers|s'il te plait|revanche|bien sur|allez"
    r"|si|vale|claro|otra(?: vez| ronda)?|otro|una mas|de nuevo|revancha|por favor|venga|quiero"
    r"|ja|gern|gerne|klar|noch (?:ein|eine|eins|mal|einmal|einen)|nochmal|noch einmal|noch ein (?:ratsel|spiel)|bitte"
    r"|revanche|natuerlich|naturlich|los|runde|ratsel|devinette|adivinanza)\b ?)+$"
)
_NOTHING_OWN = re.compile(
    r"^(?:who|what|where|when|why|how|which|can you|could you|do you|are you|tell me about|qui|que|quoi|comment"
    r"|pourquoi"
    r"|quand|est-ce que tu|peux[- ]tu|quien|cuando|como|por que|donde|puedes|eres|wer|was|wann|warum|wie|wo|kannst du"
    r"|bist du)\b"
)


_SKIPS = re.compile(
    r"^(?:(?:ok|okay|and|no|please|give me|tell me|ask me|i want|et|non|donne moi|dis moi|y|no|dame|dime|und|nein"
    r"|gib mir"
    r"|erzahl mir) )*(?:(?:yet )?another(?: one| riddle| question)?|next(?: one| riddle| question)?"
    r"|(?:a )?(?:different|new)"
    r" (?:one|riddle|question)|one more(?: riddle| question)?|une? autre(?: devinette| question)?|encore une?"
    r"|la suivante"
    r"|question suivante|suivante|otra(?: adivinanza| pregunta)?|una mas|(?:la )?siguiente(?: pregunta)?"
    r"|noch (?:eins|einen?|eine)"
    r"(?: ratsel| frage)?|ein (?:anderes|neues)(?: ratsel)?|(?:die )?nachste(?:s)?(?: frage| ratsel)?)(?: please| bitte"
    r"| por favor| s'il te plait)?$"
)
_YES = re.compile(
    r"^(?:(?:hm+|well|oh|so|ja|oui|si) )*(?:yes|yeah|yep|yup|sure|right|correct|exactly|true|it (?:is|does|can|has)"
    r"|of course"
    r"|definitely|i think so|mostly|sometimes|a bit|kind of|oui|ouais|exact|bien sur|parfois|je crois que oui|si"
    r"|claro|exacto"
    r"|a veces|creo que si|ja|jawohl|genau|stimmt|richtig|manchmal|klar|ich glaube ja)\b"
)
_NO = re.compile(
    r"^(?:(?:hm+|well|oh) )*(?:no|nope|nah|not (?:really|that|at all)|wrong|it (?:isn't|doesn't|can't|hasn't|is not"
    r"|does not)"
    r"|i don't think so|never|non|pas (?:vraiment|du tout)|faux|je crois que non|creo que no|nein|nee|nicht|falsch"
    r"|ich glaube nicht)\b(?! (?:idea|lo se|se\b))"
)
_UNSURE = re.compile(
    r"\b(?:i (?:do not|don't) know|not sure|no idea|maybe|perhaps|dunno|depends|je (?:ne )?sais pas|peut etre|ca depend"
    r"|no (?:lo )?se|quizas?|tal vez|depende|weiss (?:ich )?nicht|keine ahnung|vielleicht|kommt darauf an)\b"
)


def skips(said: str) -> bool:
    """Whether another question or riddle is wanted in place of the open one."""
    return _short(said) and bool(_SKIPS.match(heard(said)))


_ANOTHER_GAME = re.compile(
    r"\b(?:play|jouer|jugar|spielen)\b.*\b(?:something else|another game|a different game|autre chose|un autre jeu"
    r"|otra cosa"
    r"|otro juego|etwas anderes|was anderes|ein anderes spiel)\b|^(?:let's (?:do|play) )?(?:something else"
    r"|another game)(?: please)?$"
    r"|\b(?:etwas|was) anderes spielen\b"
)


def wants_another_game(said: str) -> bool:
    """Whether somebody wants to play something else, and does not say what."""
    return _short(said) and bool(_ANOTHER_GAME.search(heard(said)))


def says_yes(said: str) -> bool:
    """Whether it is a yes, also a hesitant one."""
    return bool(_YES.match(heard(said)))


def denies(said: str) -> bool:
    """Whether it is a no."""
    return bool(_NO.match(heard(said)))


def unsure(said: str) -> bool:
    """Whether somebody can't answer yes or no."""
    return bool(_UNSURE.search(heard(said)))


def _short(said: str) -> bool:
    return len(said.split()) <= MOST_WORDS


def wants_hint(said: str) -> bool:
    return _short(said) and bool(_HINT.search(heard(said)))


def gives_up(said: str) -> bool:
    return _short(said) and bool(_GIVES_UP.search(heard(said)))


def ends(said: str) -> bool:
    """Whether the game should end."""
    return bool(_ENDS.search(heard(said)))


def goes_on(said: str) -> bool:
    """Whether somebody comes back to a game, or wants to hear the question again."""
    return bool(_GOES_ON.search(heard(said)))


def again(said: str) -> bool:
    """Whether another round is wanted, said right after the last one."""
    return _short(said) and bool(_AGAIN.match(heard(said)))


def guesses(said: str) -> bool:
    """Whether it has the form of a guess: "is it a bird", "a towel"."""
    return len(said.split()) <= MOST_GUESSED and bool(_GUESSES.match(heard(said)))


def asks_something(said: str) -> bool:
    """Whether it is a question of the player's own, and no answer."""
    return bool(_NOTHING_OWN.match(heard(said)))
