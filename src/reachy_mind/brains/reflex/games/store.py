"""`Games`: the open games, one for each conversation, for half an hour and 200 conversations at most.

A plan says that a turn belongs to a game (`turn`); only when it is followed does the game go on (`begin`, `play`). A
request that has nothing to do with the game is answered as ever, and the game waits.
"""

from __future__ import annotations

import random
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from reachy_mind.brains.brain import Turn
from reachy_mind.brains.reflex.games import remarks
from reachy_mind.brains.reflex.games.game import Game, Reply
from reachy_mind.brains.reflex.games.guess_the_animal import GuessTheAnimal
from reachy_mind.brains.reflex.games.guess_their_animal import GuessTheirAnimal
from reachy_mind.brains.reflex.games.quiz import Quiz
from reachy_mind.brains.reflex.games.riddles import Riddles
from reachy_mind.brains.reflex.games.rock_paper_scissors import RockPaperScissors, choice
from reachy_mind.brains.reflex.games.simon_says import COMMANDED, SIMON, Following, SimonSays
from reachy_mind.brains.reflex.plan import Guess, Plan, Play, Step, Talk, Unknown
from reachy_mind.brains.reflex.wording import Wording
from reachy_mind.brains.word_lists import spaced
from reachy_mind.profiles.phrasebook import LANGUAGES, book

LASTS_S, MOST = 30 * 60.0, 200
GAMES: dict[str, Game] = {
    "animal": GuessTheAnimal(),
    "their_animal": GuessTheirAnimal(),
    "rock_paper_scissors": RockPaperScissors(),
    "riddle": Riddles(),
    "quiz": Quiz(),
    "simon": SimonSays(),
}
_OTHER_WAY = {"animal": "their_animal", "their_animal": "animal"}
_NAMES = {
    "rock_paper_scissors": r"rock,? ?paper,? ?(?:and |or )?scissors?|pierre,? ?(?:feuille|papier),? ?(?:et "
    r"|ou )?ciseaux?"
    r"|piedra,? ?papel,? ?(?:y |o )?tijeras?|(?:schere,? ?stein|stein,? ?schere),? ?(?:und |oder )?papier"
    r"|schnick ?schnack ?schnuck|chifoumi|shifumi|\brps\b",
    "simon": r"simon says|jacques a dit|simon dice|simon sagt",
    "riddle": r"\briddles?\b|\bdevinettes?\b|\benigmes?\b|\badivinanzas?\b|\bacertijos?\b|\bratsel\b|\braetsel\b"
    r"|\bbrain ?teasers?\b",
    "quiz": r"\bquiz\w*\b|\btrivia\b|\bquizz\b|\bconcurso\b|\btest my knowledge\b|\bjuego de preguntas\b",
    "animal": r"\banimals?\b|\banimaux\b|\banimales\b|\btiere?\b|\btierraten\b|\b(?:twenty|20) questions\b"
    r"|\b(?:vingt|20) questions\b|\b(?:veinte|20) preguntas\b|\b(?:zwanzig|20) fragen\b",
}
_ROBOT_GUESSES = re.compile(
    r"\byou(?:'ll| will| can| should| have to| must)? (?:guess|ask|find out)\b|\b(?:guess|find out) (?:my|the animal"
    r"|which animal|what animal|what) (?:\w+ )?(?:i'?m|i am|i have)\b|\bguess my\b|\bi(?:'ll| will|'m"
    r"| am)? think(?:ing)? of\b"
    r"|\bi (?:have|am thinking of|thought of) an? animal\b|\b(?:can|could|may) i think of\b"
    r"|\btu (?:devines|dois deviner|poses)\b|\bc'est toi qui (?:devines|poses)\b|\bdevine (?:mon|a quel|l'animal)\b"
    r"|\bje pense a\b|\bj'ai pense a\b"
    r"|\b(?:tu|tu lo) (?:adivinas|preguntas)\b|\badivina (?:mi|en que|el animal (?:que|en que) (?:pienso|estoy))\b"
    r"|\b(?:yo )?pienso en\b|\bestoy pensando en\b"
    r"|\bdu (?:ratst|raetst|fragst|sollst raten)\b|\b(?:rate|errate) (?:mein|welches)\b|\bich denke (?:mir |an )"
    r"|\bich habe (?:mir )?ein tier\b"
)
"""Who plays twenty questions so thinks of the animal."""
_SWAPS = re.compile(
    r"^(?:(?:ok|okay|and|so|et|y|und) )*(?:now )?(?:(?:it's )?your turn(?: to guess)?|you (?:guess|ask)(?: now)?"
    r"|let'?s (?:swap|switch)(?: roles)?|swap(?: roles)?|a toi(?: de deviner)?|c'est ton tour|maintenant tu devines"
    r"|te toca(?: a ti)?(?: adivinar)?|ahora (?:tu )?adivinas(?: tu)?|jetzt (?:ratst|bist) du(?: dran)?|du bist dran"
    r"|(?:now )?(?:it's )?my turn(?: to guess)?|let me guess|i(?:'ll| want to) guess(?: now)?|(?:c'est )?mon tour"
    r"|me toca(?: a mi)?|ich bin dran|jetzt rate ich)(?: now| please)?$"
)
"""Who wants to change places in it."""
_ASKED_FOR = re.compile(
    r"^(?:hey |ok |okay |so |reachy |and |please |yes )*(?:(?:let'?s|let us|shall we|can we|could we|do you want to"
    r"|want to|wanna"
    r"|i want to|i would like to|i'd like to|can you|could you|would you|will you) )?(?:play|start|begin|do|try|have"
    r"|ask|give"
    r"|tell|pose|quiz|test|know|think of|guess|make|joue|jouons|jouer|on joue|commence|pose|donne|dis|raconte|veux"
    r"|devine"
    r"|je veux|j'?aimerais|tu connais|fais|juega|jugamos|juguemos|jugar|quiero|dime|cuentame|hazme|ponme|empieza"
    r"|adivina"
    r"|vamos a|hagamos|spiel|spielen|spielst|lass uns|wollen wir|ich will|ich mochte|stell|gib|erzahl|erzaehl|sag|mach"
    r"|rate|kennst|starte|hast)\b"
)
_ANY = re.compile(
    r"^(?:hey |ok |okay |so |reachy |please )*(?:(?:let'?s|let us|shall we|can we|could we|do you want to|want to"
    r"|wanna|i want to"
    r"|i would like to|i'd like to|will you) )?play (?:(?:a|some|another|any) games?|games?|something"
    r"|with me)(?: please| with me)?$"
    r"|^(?:what|which) games? (?:do you know|can you play|can we play|are there|do you have)$"
    r"|^(?:on joue|jouons|je veux jouer|tu veux jouer|on peut jouer|veux tu jouer)(?: a (?:un jeu|quelque chose)"
    r"| ensemble| avec moi)?$"
    r"|^a quoi (?:on |peut on )?(?:joue|jouer)(?: on)?$|^(?:jugamos|juguemos|vamos a jugar|quiero jugar"
    r"|quieres jugar)(?: a (?:algo|un juego)"
    r"| conmigo)?$|^a que (?:jugamos|podemos jugar)$|^(?:spielen wir|lass uns|wollen wir|ich will|willst du"
    r"|ich mochte)(?: mit mir)? ?(?:ein spiel|etwas|was)?"
    r"(?: mit mir)? ?(?:spielen)?$(?<!lass uns)(?<!wollen wir)(?<!ich will)(?<!willst du)(?<!ich mochte)"
    r"|^welche spiele (?:kennst du|gibt es)$"
)
_SPOKEN = {
    "en": r"\b(?:let's|play|ask|give|me|guess|riddle|start|think|of|the|an?)\b",
    "fr": r"\b(?:on|jou\w+|pose|moi|une?|devin\w+|les?|animaux|veux|feuille|ciseaux|pierre)\b",
    "es": r"\b(?:jug\w+|dime|una?|adivin\w+|vamos|el|quiero|animales|piedra|papel|tijeras?)\b",
    "de": r"\b(?:spiel\w*|lass|uns|wir|ein|eine|mir|tiere?|raten?|ratsel|stell|schere|stein|wollen)\b",
}
_OWN = frozenset(
    spaced(
        "@knowledge @unclear @report @tell @yes @no @can_you @are_you @praise @correct @game @complaint @again @more"
    )
)
"""Kinds of talk that can be a turn of a game; any other is another subject."""
MOST_WORDS = 12
LATELY_S, MOST_LATE_WORDS = 120.0, 4
"""After something else, a few words that mean nothing by themselves are an answer still."""


@dataclass(frozen=True)
class OpenGame:
    """How a game stands; without a state it is over, and may be played again."""

    name: str
    state: Any
    language: str
    said: str
    at: float


class Games:
    """Open games by conversation."""

    def __init__(self, chance: random.Random | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._chance, self._clock = chance or random.Random(), clock  # noqa: S311 -- only games
        self._open: OrderedDict[str, OpenGame] = OrderedDict()

    def __len__(self) -> int:
        return len(self._open)

    def current(self, conversation: str) -> OpenGame | None:
        """The game of a conversation, unless it has waited for too long."""
        found = self._open.get(conversation)
        return found if found is not None and self._clock() - found.at < LASTS_S else None

    def turn(  # noqa: PLR0911 -- the first that fits
        self, turn: Turn, made: Plan, understand: Callable[[str], Plan]
    ) -> Plan | None:
        """The plan for a turn that belongs to a game; None for any other. `made`: what it would be otherwise."""
        said = turn.text
        opened = self.current(turn.conversation)
        led = opened is not None and opened.name == "simon" and SIMON.match(said)
        if not led and (language := _asked_in(turn, made.language)):
            return Plan((Talk("@game", said), *_commanded(said, understand)), language)
        if opened is None:
            return None
        if opened.name in _OTHER_WAY and _SWAPS.match(remarks.heard(said)):
            return Plan((Play(said),), opened.language)
        if remarks.wants_another_game(said):
            return Plan((Talk("@game", said, "game_offer"),), opened.language)
        here = not turn.history or opened.said in turn.history[-1].reply
        play = Plan((Play(said),), opened.language)
        if opened.state is None and not remarks.ends(said):
            return play if here and (remarks.again(said) or _shows_at_once(opened, said)) else None
        if remarks.ends(said) or (remarks.goes_on(said) and not made.steps):
            return play
        if isinstance(opened.state, Following):
            return self._led(opened, said, here, made, understand)
        if GAMES[opened.name].accepts(opened.state, said, opened.language, acts=bool(made.steps)):
            return play
        if here and remarks.guesses(said):
            return play
        lately = self._clock() - opened.at < LATELY_S and len(said.split()) <= MOST_LATE_WORDS and bool(made.unknown)
        return play if (here or lately) and _may_be_a_turn(said, made) else None

    def begin(self, conversation: str, said: str, wording: Wording, name: str = "") -> Reply:
        """Begin the game that was asked for; without a name, tell which there are."""
        name = name or called(said)
        if not name:
            return Reply(wording.say("game_offer"))
        reply = GAMES[name].begin(said, wording, self._chance)
        self._keep(conversation, name, reply, wording.language)
        return reply

    def play(self, conversation: str, said: str, wording: Wording) -> Reply:
        """Go on with the open game."""
        opened = self.current(conversation)
        if opened is None:
            return Reply(wording.say("game_offer"))
        game = GAMES[opened.name]
        if remarks.ends(said):
            del self._open[conversation]
            return Reply(wording.say("game_ended"))
        if opened.name in _OTHER_WAY and _SWAPS.match(remarks.heard(said)):
            return self.begin(conversation, said, wording, _OTHER_WAY[opened.name])
        if opened.state is None:
            begun = self.begin(conversation, said, wording, opened.name)
            if not _shows_at_once(opened, said):
                return begun
            opened = replace(opened, state=begun.state)
        if remarks.goes_on(said):
            reply = Reply(game.reminder(opened.state, wording), opened.state)
        else:
            reply = game.answers(opened.state, said, wording, self._chance)
        self._keep(conversation, opened.name, reply, opened.language)
        return reply

    def _keep(self, conversation: str, name: str, reply: Reply, language: str) -> None:
        now = self._clock()
        self._open[conversation] = OpenGame(name, reply.state, language, reply.text, now)
        self._open.move_to_end(conversation)
        for old in [key for key, one in self._open.items() if now - one.at >= LASTS_S]:
            del self._open[old]
        while len(self._open) > MOST:
            self._open.popitem(last=False)

    def _led(
        self, opened: OpenGame, said: str, here: bool, made: Plan, understand: Callable[[str], Plan]
    ) -> Plan | None:
        """The player leads Simon says: what Simon says is done, another command is not, questions are answered."""
        if simon := SIMON.match(said):
            steps = [replace(step, quiet=True) for step in understand(said[simon.end() :]).steps]
            return Plan((Play(said), *steps), opened.language) if steps else None
        return Plan((Play(said),), opened.language) if here and made.steps else None


def _commanded(said: str, understand: Callable[[str], Plan]) -> list[Step]:
    """What Simon says in the same breath as the wish to play it."""
    found = COMMANDED.search(said) if called(said) == "simon" else None
    simon = SIMON.match(said[found.end() :]) if found is not None else None
    if found is None or simon is None:
        return []
    return [replace(step, quiet=True) for step in understand(said[found.end() + simon.end() :]).steps]


def _shows_at_once(opened: OpenGame, said: str) -> bool:
    """Who shows rock again after the last round has begun the next one."""
    return opened.name == "rock_paper_scissors" and choice(said) is not None


def is_request(said: str, last_reply: str = "") -> bool:
    """Whether somebody asks for a game: plainly, without a name, or as the answer to what there is to play."""
    return bool(_offered_in(said, last_reply) or asked_for(said) or _ANY.match(remarks.heard(said)))


def _asked_in(turn: Turn, read: str) -> str:
    """The language in which a game is asked for; empty when none is."""
    last = turn.history[-1].reply if turn.history else ""
    if not is_request(turn.text, last):
        return ""
    return _offered_in(turn.text, last) or _language(turn.text, read)


def _offered_in(said: str, last_reply: str) -> str:
    """The language in which the games were offered, where a name of one answers that; else empty."""
    offered = next((language for language in LANGUAGES if last_reply in book(language)["game_offer"]), "")
    return offered if called(said) and len(said.split()) <= MOST_WORDS else ""


def _language(said: str, read: str) -> str:
    """The language of so few words: the one whose words of play there are most of, else the one that was read."""
    words = remarks.heard(said)
    counts = {language: len(re.findall(pattern, words)) for language, pattern in _SPOKEN.items()}
    best = max(counts, key=lambda language: (counts[language], language == read))
    return best if counts[best] > counts.get(read, 0) else read


def called(said: str) -> str:
    """The game that is named; empty when none is."""
    words = remarks.heard(said)
    name = next((name for name, pattern in _NAMES.items() if re.search(pattern, words)), "")
    return "their_animal" if name == "animal" and _ROBOT_GUESSES.search(words) else name


def asked_for(said: str) -> bool:
    """Whether somebody plainly wants to begin one: its name alone, or with a word like "play"."""
    words = remarks.heard(said)
    name = called(said)
    if not name or len(words.split()) > MOST_WORDS:
        return False
    if name not in _OTHER_WAY and re.fullmatch(
        rf"(?:an? |une? |el |la |ein |eine |the )?(?:{_NAMES[name]})(?: please)?", words
    ):
        return True
    if name in _OTHER_WAY:
        return bool(
            re.search(
                r"guess|devine|adivin|\braten?\b|\berrat|think of|pense a|piensa|denk|20 questions|twenty"
                r"|vingt|veinte|zwanzig"
                r"|20 preguntas|20 fragen",
                words,
            )
        )
    if name == "simon" and SIMON.match(said):
        return False
    return bool(_ASKED_FOR.match(words))


def _may_be_a_turn(said: str, made: Plan) -> bool:
    """Whether it may be an answer, because it is nothing else."""
    if len(said.split()) > MOST_WORDS or remarks.asks_something(said):
        return False
    return (
        all(
            isinstance(part, Unknown | Guess) or (isinstance(part, Talk) and part.kind in _OWN)
            for part in made.parts
            if not isinstance(part, Step)
        )
        and not made.steps
    )
