"""What the stop classifier is trained on: sentences, patterns, and variations of them.

Positive are the lines of `brains/stop_sentences/stop.txt`, the stop phrases, and the reflex brain's sentences that mean
a stop and nothing else. Negative are `brains/stop_sentences/other.txt` and `talk.txt`, and the reflex brain's other
sentences. More of both come from patterns (`stop_patterns.txt`, `other_patterns.txt`). Variations put other parts of
the body, names and exclamations into both, so that those decide nothing by themselves, and put stops into sentences
that merely speak of them ("what does halt mean").
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reachy_mind.brains import stop_words
from reachy_mind.brains.reflex.markup import read
from reachy_mind.brains.stop_classifier import words_of
from reachy_mind.brains.stop_lexicon import word_class
from reachy_mind.brains.word_lists import lines

SENTENCES = Path(stop_words.__file__).with_name("stop_sentences")
REFLEX_SENTENCES = Path(stop_words.__file__).with_name("reflex") / "sentences"


@dataclass(frozen=True)
class Example:
    """A sentence, its language, whether it is a stop, and how much it counts. `source` groups its variations."""

    text: str
    language: str
    stop: bool
    weight: float = 1.0
    source: str = ""

    @property
    def original(self) -> bool:
        """Whether a person wrote it, and not a pattern or a variation."""
        return self.source == key_of(self.text)


BODY = {
    "en": lines(
        "finger|hand|thumb|hair|nose|eye|arm|ear|toe|sleeve|wrist|fingers|face|chin|cheek|lip|tongue|foot|elbow|beard"
        "|ponytail|shirt|skin|tie|ring|bracelet|earring|nail|knuckle|head|shoulder|neck|scarf|necklace|glasses"
        "|pinky|fingertip|fingernail|palm|forearm|ankle|shin|ribs|belly|braid|pigtail|fringe|moustache|eyelid|forehead"
        "|earlobe|jaw|throat|cuff|sweater|hoodie|lanyard|collar|dress|shoelace|glove|apron|feet|legs|knuckles"
    ),
    "fr": lines(
        "doigt|main|pouce|nez|oeil|bras|oreille|orteil|manche|poignet|visage|menton|joue|langue|pied|coude|barbe|peau"
        "|cravate|bague|bracelet|ongle|echarpe|collier|tete|cou|cheveux|doigts"
        "|index|paume|genou|cheville|tresse|frange|moustache|paupiere|front|levre|dent|gorge|pull|lacet|gant|montre"
    ),
    "es": lines(
        "dedo|mano|pulgar|pelo|nariz|ojo|brazo|oreja|manga|muneca|cara|barbilla|mejilla|labio|lengua|pie|codo|barba"
        "|piel|corbata|anillo|pulsera|una|bufanda|collar|cabeza|cuello|cabello|dedos"
        "|menique|palma|rodilla|tobillo|trenza|coleta|bigote|parpado|frente|diente|garganta|jersey|guante|reloj"
    ),
    "de": lines(
        "Finger|Hand|Daumen|Haare|Nase|Auge|Arm|Ohr|Zeh|Armel|Handgelenk|Gesicht|Kinn|Wange|Lippe|Zunge|Fuss|Ellbogen"
        "|Bart|Haut|Krawatte|Ring|Armband|Nagel|Schal|Kette|Kopf|Hals|Zopf"
        "|Zeigefinger|Handfläche|Knie|Knöchel|Pferdeschwanz|Schnurrbart|Augenlid|Stirn|Zahn|Pulli|Handschuh|Uhr|Fuß"
    ),
}
"""Parts of the body and what is worn on it, by language."""
THINGS = {
    "en": lines(
        "cup|glass|vase|baby|cat|dog|kid|lamp|laptop|bottle|coffee|plant|screen|child|plate|bowl|phone|candle|mug|tea"
        "|toddler|kitten|puppy|hamster|teapot|jug|wine|milk|soup|monitor|flowerpot|kettle|bird|tablet|keyboard"
    ),
    "fr": lines(
        "tasse|verre|vase|bebe|chat|chien|lampe|bouteille|cafe|plante|ecran|enfant|assiette|bougie|telephone|chaton|vin"
        "|carafe|theiere|soupe|hamster|clavier"
    ),
    "es": lines(
        "taza|vaso|jarron|bebe|gato|perro|lampara|botella|cafe|planta|pantalla|nino|plato|vela|movil|gatito|vino|jarra"
        "|tetera|sopa|maceta|teclado"
    ),
    "de": lines(
        "Tasse|Glas|Vase|Baby|Katze|Hund|Lampe|Flasche|Kaffee|Pflanze|Bildschirm|Kind|Teller|Kerze|Handy|Kanne|Wein"
        "|Hamster|Suppe|Blumentopf|Tastatur"
    ),
}
"""What can be knocked over or hurt, by language."""
BEFORE = {
    "en": lines(
        "hey|please|reachy|no|oh no|okay|robot|hey reachy|come on|oh god|oh my god|right now|wait|now|listen|for god's "
        "sake|i said|ahh|careful|no no|quick|hey you|excuse me|uh|um|damn|seriously|dude|buddy|richie|jeez"
        "|please please"
    ),
    "fr": lines(
        "hé|s'il te plaît|reachy|non|oh non|bon|robot|hé reachy|allez|mon dieu|vite|écoute|oh là là|non non|mais|euh"
        "|j'ai dit|s'il vous plaît|pitié|dis"
    ),
    "es": lines(
        "oye|por favor|reachy|no|ay no|vale|robot|oye reachy|venga|dios mío|rápido|escucha|no no|eh|he dicho|madre mía"
    ),
    "de": lines(
        "hey|bitte|reachy|nein|oh nein|okay|roboter|hey reachy|komm|oh gott|schnell|hör mal|nein nein|he|ich sagte"
        "|mensch"
        "|äh|bitte bitte|du"
    ),
}
"""Exclamations before a sentence: before a stop it stays one, before another sentence that stays another."""
AFTER = {
    "en": lines("please|now|right now|reachy|robot|already|ok|quick|immediately|buddy|for me|please please|thanks"),
    "fr": lines("s'il te plaît|maintenant|tout de suite|reachy|robot|vite|s'il vous plaît|immédiatement|stp|merci"),
    "es": lines("por favor|ahora|ahora mismo|reachy|robot|ya|rápido|inmediatamente|gracias"),
    "de": lines("bitte|jetzt|sofort|reachy|roboter|schnell|endlich|mal|danke"),
}
MENTIONS = {
    "en": lines(
        "what does {} mean|how do you say {} in french|who said {}|a song called {}|my sister always says {}"
        "|the sign says {}|why do people say {}|he shouted {} and ran away|she told me {} yesterday|translate {} into "
        "german|spell {}|say {} in spanish|i read a book called {}|in the movie he says {}|remind me to say {}"
        "|what if somebody says {}|when i say {} you nod|the word {}|say {}|what do you do when i say {}"
        "|did i say {}|i didn't say {}|tell my brother {}"
    ),
    "fr": lines(
        "que veut dire {}|comment dit-on {} en anglais|qui a dit {}|une chanson qui s'appelle {}"
        "|ma soeur dit toujours {}"
        "|le panneau dit {}|pourquoi dit-on {}|il a crié {} et il est parti|traduis {} en allemand|elle m'a dit {} hier"
        "|le mot {}|dis {}|je n'ai pas dit {}"
    ),
    "es": lines(
        "qué significa {}|cómo se dice {} en inglés|quién dijo {}|una canción que se llama {}"
        "|mi hermana siempre dice {}"
        "|el cartel dice {}|por qué se dice {}|gritó {} y se fue|traduce {} al alemán|ayer me dijo {}|la palabra {}"
        "|di {}"
        "|no dije {}"
    ),
    "de": lines(
        "was bedeutet {}|wie sagt man {} auf englisch|wer hat {} gesagt|ein lied das {} heißt"
        "|meine schwester sagt immer "
        "{}|auf dem schild steht {}|warum sagt man {}|er rief {} und lief weg|übersetze {} ins französische"
        "|gestern sagte "
        "sie {}|das wort {}|sag {}|ich habe nicht {} gesagt"
    ),
}
"""Sentences that speak of a stop."""
KEEP_ON = {
    "en": lines("don't {}|never {}|please don't {}|you don't need to {}|do not {}|no need to {}|you don't have to {}"),
    "fr": (),
    "es": (),
    "de": (),
}
"""Before a command that begins with one of these verbs, it is a request to go on."""
_STOPPING = re.compile(r"(stop|quit|halt|freeze|cease|let go|shut down|power down|hold still|abort)\b")
DEEDS = {
    "en": lines(
        "look left|nod|dance|tell me a joke|look at me|turn around|say hello|wave|set a timer|play a song|go to sleep"
        "|look up|take a photo|sing"
    ),
    "fr": lines("regarde à gauche|hoche la tête|danse|raconte une blague|regarde-moi|chante|dis bonjour|salue"),
    "es": lines("mira a la izquierda|asiente|baila|cuenta un chiste|mírame|canta|di hola|saluda"),
    "de": lines("schau nach links|nick|tanz|erzähl einen witz|schau mich an|sing|sag hallo|wink"),
}
_CHOICE = re.compile(r"\(([^()]*)\)")
AND = {"en": ("and", "then", "and then"), "fr": ("et", "puis"), "es": ("y", "y luego"), "de": ("und", "und dann")}
PLAIN_STOPS = {
    "en": ("stop", "stop that", "halt", "freeze"),
    "fr": ("arrête", "stop"),
    "es": ("para", "basta"),
    "de": ("stopp", "hör auf"),
}


WEAK = frozenset(
    (
        *("x", "you", "me", "they", "robot", "ask", "say", "past", "media", "thing", "deed", "please", "that"),
        *("family", "much", "order", "polite"),
    )
)
"""Classes of words that make no stop by themselves."""
COUNTED, HARD = 0.5, 2.0
"""Weights from which on a sentence is counted, and is one of `other.txt`."""
NEARLY = frozenset(("do_nothing", "stop_dance", "set_motor_mode", "task_cancel", "stop", "@not_that"))
"""Labels of sentences that are so near to a stop that they count little, and are not counted as false ones."""


def examples() -> list[Example]:
    """All sentences, each once. One that is both is a stop."""
    stops = {key_of(e.text): e for e in _positive()}
    others: dict[str, Example] = {}
    for example in _negative():
        key = key_of(example.text)
        if key and key not in stops and not stop_words.is_listed(example.text):
            others.setdefault(key, example)
    return [e for e in (*stops.values(), *others.values()) if len(e.text) <= stop_words.LONGEST_TEXT]


def key_of(text: str) -> str:
    """The words of a text, by which two spellings of one sentence are the same."""
    return " ".join(words_of(text))


def sentences(file: Path) -> Iterator[tuple[str, str]]:
    """Language and text of each line: `fr<tab>arrête`. Empty lines and lines with # in front are skipped."""
    for line in file.read_text(encoding="utf-8").splitlines():
        language, tab, text = line.partition("\t")
        if tab and not line.startswith("#"):
            yield language, text


def _positive() -> Iterator[Example]:
    for language, text in sentences(SENTENCES / "stop.txt"):
        yield Example(text, language, stop=True)
    for phrase in sorted(stop_words.PHRASES):
        yield Example(phrase, "", stop=True, weight=0.5)
    for sentence in read(REFLEX_SENTENCES):
        if sentence.segments and all(segment.label == "stop" for segment in sentence.segments) and not sentence.before:
            yield Example(" ".join(sentence.words), sentence.language, stop=True, weight=0.5)


def _negative() -> Iterator[Example]:
    for language, text in sentences(SENTENCES / "other.txt"):
        yield Example(text, language, stop=False, weight=3.0)
    for language, text in sentences(SENTENCES / "talk.txt"):
        yield Example(text, language, stop=False)
    for sentence in read(REFLEX_SENTENCES):
        labels = {segment.label for segment in sentence.segments}
        if "stop" not in labels or labels - {"stop", "@praise", "@thanks", "do_nothing", "@complaint"}:
            weight = 0.1 if sentence.before or labels <= NEARLY else 1.0
            yield Example(" ".join(sentence.words), sentence.language, stop=False, weight=weight)


def varied(sources: Sequence[Example], *, variations: int = 8, per_pattern: int = 40, seed: int = 0) -> list[Example]:
    """The examples and variations of them, the sentences of the patterns, and stops with something else to do."""
    rng = random.Random(seed)  # noqa: S311 -- the same ones every time
    by_language: dict[str, list[str]] = {}
    for e in sources:
        if e.stop:
            by_language.setdefault(e.language, []).append(e.text)
    out: list[Example] = []
    for e in sources:
        key = key_of(e.text)
        out.append(replace(e, source=key))
        if e.stop:
            times = variations if e.weight >= 1 else variations // 3
            made = [_another(e, rng, by_language) for _ in range(times)]
            out += [Example(text, e.language, stop=True, weight=0.3 * e.weight, source=key) for text in made]
            told_of = list(_spoken_of(e, rng)) if e.language else []
            out += [Example(text, e.language, stop=False, weight=0.5, source=key) for text in told_of]
        elif e.weight >= HARD or rng.random() < 0.15:
            made = [_dressed(e.text, e.language, rng) for _ in range(4 if e.weight >= HARD else 1)]
            out += [Example(text, e.language, stop=False, weight=0.3 * e.weight, source=key) for text in made]
    return [*out, *_from_patterns(rng, per_pattern), *_with_deeds(rng), *_fragments(sources, rng)]


def _fragments(sources: Sequence[Example], rng: random.Random) -> Iterator[Example]:
    """Pieces of speech, as "it is", "hey reachy": too little to be a stop."""
    for e in sources:
        words = words_of(e.text)
        if words and rng.random() < (0.15 if not e.stop else 1.0):
            length = rng.choice((1, 2, 2, 3))
            at = rng.randrange(max(1, len(words) - length + 1))
            piece = words[at : at + length]
            if all(word_class(word) in WEAK for word in piece) and " ".join(piece) not in ("no", "that"):
                yield Example(" ".join(piece), e.language, stop=False, weight=1.0, source=" ".join(piece) + " ...")


def _from_patterns(rng: random.Random, per_pattern: int) -> Iterator[Example]:
    for name, stop, weight in (("stop_patterns", True, 0.3), ("other_patterns", False, 0.6)):
        for language, pattern in sentences(SENTENCES / f"{name}.txt"):
            for _ in range(per_pattern):
                yield Example(_expanded(pattern, language, rng), language, stop, weight, pattern)


def _with_deeds(rng: random.Random) -> Iterator[Example]:
    """ "Stop and look left" is for the reflex brain."""
    for language, stops in PLAIN_STOPS.items():
        for deed in DEEDS[language]:
            for said in stops:
                text = f"{said} {rng.choice(AND[language])} {deed}"
                yield Example(text, language, stop=False, weight=0.5, source=deed)


def _expanded(pattern: str, language: str, rng: random.Random) -> str:
    """One of the sentences that a pattern stands for."""
    text = _CHOICE.sub(lambda found: rng.choice(found[1].split("|")), pattern)
    for name, listed in (("{body}", BODY), ("{thing}", THINGS)):
        while name in text:
            text = text.replace(name, rng.choice(listed[language]), 1)
    return " ".join(text.replace(" -", "-").replace(" 's", "'s").split())


def _another(e: Example, rng: random.Random, by_language: dict[str, list[str]]) -> str:
    text = _substituted(e.text, e.language, rng)
    kind = rng.random()
    if kind < 0.45:
        text = _dressed(text, e.language, rng)
    elif kind < 0.7 and len(text) < 60:
        other = _substituted(rng.choice(by_language[e.language]), e.language, rng)
        if len(other) < 50:
            text = f"{text} {other}" if rng.random() < 0.5 else f"{other} {text}"
    if rng.random() < 0.15:
        text = _mistyped(text, rng)
    words = text.split()
    if len(words) > 3 and rng.random() < 0.15:
        del words[rng.randrange(len(words))]
    return " ".join(words)


def _substituted(text: str, language: str, rng: random.Random) -> str:
    words = text.split()
    for named in (BODY.get(language, []), THINGS.get(language, [])):
        known = {key_of(name) for name in named}
        for i, word in enumerate(words):
            if key_of(word) in known and rng.random() < 0.7:
                words[i] = rng.choice(named)
    return " ".join(words)


def _dressed(text: str, language: str, rng: random.Random) -> str:
    language = language or "en"
    before = rng.choice(BEFORE[language]) if rng.random() < 0.65 else ""
    after = rng.choice(AFTER[language]) if not before or rng.random() < 0.3 else ""
    return f"{before} {text} {after}".strip()


def _mistyped(text: str, rng: random.Random) -> str:
    at = rng.randrange(max(1, len(text) - 1))
    return rng.choice(
        (
            text[:at] + text[at + 1 :],
            text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :],
            text[:at] + text[at : at + 1] + text[at:],
        )
    )


def _spoken_of(e: Example, rng: random.Random) -> Iterator[str]:
    for frame in rng.sample(MENTIONS[e.language], 3):
        yield frame.format(e.text)
    if KEEP_ON[e.language] and _STOPPING.match(e.text):
        for frame in rng.sample(KEEP_ON[e.language], 2):
            yield frame.format(e.text)
