"""The words that a question is about: lower case, without accents, endings, question words and politeness.

Two wordings of a question have the same key words: "which is the world's largest ocean" and "biggest ocean?". The
almanac writes its questions as people ask them, and both go through `key_words`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from reachy_mind.brains.word_lists import spaced
from reachy_mind.models.wordpiece import without_accents

LANGUAGES = ("en", "fr", "es", "de")

_POLITE = {
    "en": r"(?:please |hey |hi |hello |ok |okay |so |well |now |um |uh |oh |tell me|(?:can|could|would|will) you "
    r"(?:please )?(?:tell|say|explain to) me|do you (?:happen to )?know|i (?:would like|want|need) to know|i wonder|"
    r"i'd like to know|any idea|let me know|just |quick question "
    r"|(?:my|our|the) (?:\w+ ){1,3}?(?:(?:wants?|would like|'?d like) to know|asks?|asked|is asking|wonders?)"
    r"(?: me| you| us)?)\s*",
    "fr": r"(?:s'il te plait |dis |dis moi|dites moi|salut |bonjour |alors |(?:peux|pourrais) tu me dire|"
    r"tu peux me dire|est ce que tu sais|sais tu|tu sais|tu connais|connais tu|je (?:veux|voudrais) savoir"
    r"|(?:mon|ma|notre) (?:\w+ ){1,2}?(?:veut|voudrait|aimerait) savoir)\s*",
    "es": r"(?:por favor |hola |oye |dime|me (?:puedes|podrias) decir|(?:puedes|podrias) decirme|sabes|"
    r"(?:quiero|quisiera) saber|(?:mi|nuestr[oa]) (?:\w+ ){1,2}?(?:quiere|quisiera) saber)\s*",
    "de": r"(?:bitte |hallo |hey |sag mir|sag mal|(?:kannst|konntest) du mir (?:bitte )?sagen|weisst du|kennst du|"
    r"ich (?:will|mochte) wissen|(?:meine?|unsere?) (?:\w+ ){1,2}?(?:will|mochte) wissen)\s*",
}
"""What stands before a question and means nothing."""

_PERSONAL = {
    "en": "my mine our ours me us you your yours yourself",
    "fr": "mon ma mes notre nos moi ton ta tes tu toi te vous votre vos nous je",
    "es": "mi mis nuestro nuestra nuestros nuestras tu tus te ti usted me yo",
    "de": "mein meine meiner meinem meinen meines unser unsere unserer unserem unseren dein deine deiner deinem deinen "
    "du dich dir mir mich euer eure ich wir uns",
}
_WORDS, _OWNERS = re.compile(r"[a-z0-9]+"), re.compile(r"(?<=\w)'s\b")
_CONTRACTED = re.compile(r"\W*(?:what|who|where|when)'s")
_ROBOT = r"(?:hey |hi |hello |ok |okay )?(?:reachy(?: mini)?|robot)"

_FILLERS = {
    "en": """a an the of in on at for to from by with is are was were be been do does did has have had can could there
        what which that this s it's whats exactly actually really currently please called name named call world globe
        ever all any one ones kind sort and get got you'd thanks thank""",
    "fr": """un une et le la les l d de du des au aux a en dans sur par pour est sont etait ont as avoir il y qui que qu
        quoi quel quelle quels quelles ce c cette ces se s t n monde plus exactement appelle appelles appele nom nomme
        possede compte fait elle on merci plait te stp""",
    "es": """un una unos unas el la los las lo de del al a en por para con es son esta estan era fue hay tiene tienen
        que cual cuales quien quienes se su mundo mas exactamente llama llaman llamado nombre favor gracias y""",
    "de": """ein eine einer einem einen eines der die das den dem des von vom in im am an auf zu zum zur mit fur ist
        sind war waren hat haben was welche welcher welches welchen wer es gibt welt genau eigentlich heisst heissen
        heist name bitte danke denn man und""",
}
_PHRASES = {
    "en": r"""how many|howmany; how much|howmuch; how long|howlong; how (?:high|tall)|howhigh; how far(?: away)?|howfar;
        how (?:big|large)|howbig; how fast|howfast; how deep|howdeep; how old|howold; how hot|howhot; how cold|howcold;
        how heavy|howheavy; (?:in )?(?:what|which) year|when; (?:at )?what time|whattime; (?:in|of) the world|world;
        on (?:the )?(?:planet )?earth$|world; on (?:the|this|our) planet$|world; our solar system|solarsystem;
        solar system|solarsystem; (?:our|the) planet earth|earth; our planet|earth; planet earth|earth;
        number of|howmany;
        the (?:u s a|u s|us)|usa; (?:what|who|which animals?) eats?|predator;
        (?:human )?body temperature|bodytemperature; human beings?|human; (?:does|do) it take|takes;
        a (?:human|person)|human;
        north america|northamerica; south america|southamerica; united states of america|usa; united states|usa;
        great britain|united kingdom; the uk$|united kingdom; new york city|new york; used to be|formerly;
        (?:when|if) (?:you|i|we) (?:mix|combine)|mix; do (?:you|i|we) (?:get|call)|get;
        (?:first|1st) world war|worldwar 1; (?:second|2nd) world war|worldwar 2; world war (?:i|one|1)\b|worldwar 1;
        world war (?:ii|two|2)\b|worldwar 2""",
    "fr": r"""combien de temps|combientemps; est ce que| ; qu est ce que| ; systeme solaire|solarsystem;
        amerique du nord|ameriquenord; amerique du sud|ameriquesud; en quelle annee|quand; corps humain|humain;
        etre humain|humain; quelqu un a|a""",
    "es": r"""cuanto tiempo|cuantotiempo; sistema solar|solarsystem; america del norte|norteamerica;
        america del sur|sudamerica; en que ano|cuando; cuerpo humano|humano; ser humano|humano""",
    "de": r"""wie viele?|wieviel; wie lange?|wielang; wie hoch|wiehoch; wie weit|wieweit; wie gross|wiegross;
        wie alt|wiealt; wie tief|wietief; wie schnell|wieschnell; in welchem jahr|wann; (?:auf )?der welt|welt;
        menschliche[nr]? korper|mensch; menschen|mensch""",
}
"""Pairs of a pattern and what it is replaced by."""
_IN_PHRASES = frozenset(
    spaced(
        """how year time world earth planet solar number u us eats eat temperature human take person america united
        britain uk york used mix combine get call"""
    )
)
"""Each English phrase has one of these words."""

_SYNONYMS = {
    "en": """biggest largest greatest hugest; highest tallest; smallest tiniest littlest; fastest quickest speediest;
        nearest closest; farthest furthest; author wrote written write writes writer authors penned;
        painted painter paint paints painting; composed composer compose composes; invented inventor invent invention
        inventors inventing; discovered discoverer discover discovery; language languages speak spoken speaks;
        currency money currencies; baby young babies; eat eats eating ate diet feed; sound noise sounds noises say says;
        opposite antonym contrary opposites; lay lays laying laid; fly flies flying; swim swims swimming;
        colour color colours colors; freeze freezes freezing; boil boils boiling; melt melts melting; die died dies
        death; born birth birthday birthdate; begin began start started begins starts; end ended finish finished ends;
        make makes made making; come comes; automobile car cars; kid child children; second 2nd; third 3rd; fourth 4th;
        fifth 5th; chemical element; soccer football; mix mixed mixing combine; happen happened take took place;
        person people persons; first 1st; symbol formula; sea seas; human humans; film movie; build built;
        sink sank sunk sinking; land landed landing walk walked""",
    "fr": """ecrit auteur ecrivain ecrire autrice; peint peintre peindre; invente inventeur inventer;
        decouvert decouvreur decouvrir; contraire oppose antonyme inverse; petit bebe; grand gros; haut eleve;
        rapide vite; mange mangent nourrit; second deuxieme seconde; monnaie devise; langue parle parlent""",
    "es": """escribio autor escrito autora escribir; pinto pintor pintado; invento inventor inventado;
        descubrio descubridor; contrario opuesto antonimo; come comen alimenta; alto elevado alta; moneda divisa;
        idioma lengua habla hablan; cria bebe; mayor grande; menor pequeno; cuantos cuantas cuanto""",
    "de": """geschrieben autor schrieb verfasser verfasst; gemalt malte maler; erfunden erfand erfinder; entdeckt
        entdeckte entdecker; gegenteil gegensatz; frisst fressen isst essen; wahrung geld; sprache spricht sprechen
        gesprochen; junges baby jungtier jungtiere kind; hochste hochster hochstes hochsten""",
}
_ORDINALS = {
    "en": "second third fourth fifth sixth seventh eighth",
    "fr": "deuxieme troisieme quatrieme cinquieme",
    "es": "segundo segunda tercero tercera tercer cuarto cuarta quinto quinta",
    "de": "zweite zweiter zweites zweiten zweit zweitgrosste dritte dritt drittgrosste vierte",
}
_SUPERLATIVES = {
    "en": """biggest smallest highest longest deepest fastest slowest nearest farthest hottest coldest oldest heaviest
        driest shortest""",
    "fr": "grand petit haut long profond rapide lent chaud froid lourd",
    "es": "grande pequeno alto largo profundo rapido lento caliente frio pesado",
    "de": "grosste kleinste hochste langste tiefste schnellste langsamste heisseste kalteste schwerste",
}
_REGIONS = {
    "en": "africa asia europe northamerica southamerica oceania antarctica",
    "fr": "afrique asie europe ameriquenord ameriquesud oceanie antarctique",
    "es": "africa asia europa norteamerica sudamerica oceania antartida",
    "de": "afrika asien europa nordamerika sudamerika ozeanien antarktis",
}
_LEADS = {
    "en": r"(?:and|what about|how about|and what about|and how about|and for|and in|then)",
    "fr": r"(?:et|et pour|et celle|et celui|qu en est il)",
    "es": r"(?:y|y que tal|y la|y el)",
    "de": r"(?:und|und was ist mit|was ist mit|wie ist es mit)",
}
PRONOUNS = {
    "en": frozenset(spaced("it its he his she her him them they their there that this")),
    "fr": frozenset(spaced("il elle son sa ses ca")),
    "es": frozenset(spaced("ella su sus")),
    "de": frozenset(spaced("es er sie ihn sein seine ihr ihre")),
}
"""What may stand for what the last question was about."""


@dataclass(frozen=True)
class Vocabulary:
    """What is done with the words of a language."""

    fillers: frozenset[str]
    synonyms: Mapping[str, str]
    phrases: re.Pattern[str]
    replaced: tuple[str, ...]
    """What stands for each group of `phrases`."""
    polite: re.Pattern[str]
    personal: re.Pattern[str]
    lead: re.Pattern[str]
    groups: tuple[frozenset[str], ...]
    """Key words of which a question has one: ordinals, superlatives, continents."""


@cache
def vocabulary(language: str) -> Vocabulary:
    """The vocabulary of a language."""
    synonyms = {}
    for group in _SYNONYMS[language].split(";"):
        words = spaced(group)
        synonyms.update({_stem(word, language): _stem(words[0], language) for word in words})
    pairs = [pair.strip().rsplit("|", 1) for pair in _PHRASES[language].split(";") if pair.strip()]
    phrases = re.compile(r"\b(?:" + "|".join(f"({old.strip()})" for old, _ in pairs) + r")(?!\w)")
    groups = tuple(
        frozenset(synonyms.get(stem, stem) for stem in (_stem(word, language) for word in spaced(words[language])))
        for words in (_ORDINALS, _SUPERLATIVES, _REGIONS)
    )
    return Vocabulary(
        frozenset(spaced(_FILLERS[language])),
        synonyms,
        phrases,
        tuple(new.strip() for _, new in pairs),
        re.compile(_POLITE[language]),
        re.compile(rf"\b(?:{'|'.join(spaced(_PERSONAL[language]))}|reachy)\b"),
        re.compile(rf"{_LEADS[language]} "),
        groups,
    )


def folded(text: str) -> str:
    """The words of a text in small letters with single spaces, without accents and punctuation."""
    words = text.lower() if text.isascii() else without_accents(text).replace("\u2019", "'")
    if "'" in words:
        words = words.replace("n't", " not")
        words = _OWNERS.sub(" is" if _CONTRACTED.match(words) else " s", words)
    return " ".join(_WORDS.findall(words))


def plain(text: str, language: str) -> str:
    """The folded words of a text, without politeness and the robot's name before or after."""
    words = folded(text)
    words = re.sub(rf"^{_ROBOT} (?=\w)|(?<=\w) {_ROBOT}$", "", words)
    polite = vocabulary(language).polite
    while (found := polite.match(words)) and found.end() > 0:
        words = words[found.end() :]
    words = re.sub(rf"^{_ROBOT} (?=\w)", "", words)
    return re.sub(r" (?:please|s il te plait|stp|por favor|bitte|thanks|thank you)$", "", words)


def is_personal(words: str, language: str) -> bool:
    """Whether plain words name the speaker or the robot."""
    words = re.sub(r"\b(?:do|when|if|can) you (?:get|mix|combine|need|call|make)\b", "", words)
    words = re.sub(r"\bthe us\b|\b(?:on )?our (?:planet|solar system|galaxy|moon|sun)\b", "", words)
    return bool(vocabulary(language).personal.search(words))


def key_words(words: str, language: str) -> frozenset[str]:
    """The key words of plain words."""
    known = vocabulary(language)
    if language != "en" or not _IN_PHRASES.isdisjoint(words.split()):
        words = known.phrases.sub(lambda found: known.replaced[(found.lastindex or 1) - 1], words)
    stems = (_stem(word, language) for word in words.split() if word not in known.fillers)
    return frozenset(known.synonyms.get(stem, stem) for stem in stems)


@lru_cache(8192)
def _stem(word: str, language: str) -> str:
    """A word without the ending of its number and gender."""
    if len(word) <= 3:
        return word
    if language == "de":
        return re.sub(r"(?:en|er|es|em|e|n|s)$", "", word) if len(word) > 4 else word
    if language == "en" and word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if language == "fr":
        word = word.removesuffix("x")
    return word[:-1] if len(word) > 3 and word.endswith(("a", "e", "o") if language == "es" else "e") else word
