"""Events of joy and loss, and feelings in plain words, whatever the reader took them for.

"My husband died" is no note to be kept: whoever says so is answered with sympathy. Only what concerns the speaker
counts: "Einstein died in 1955" is a fact, and a battery that died is no loss.
"""

from __future__ import annotations

import re

from reachy_mind.brains.reflex.plan import Guess, Part, Plan, Step, Talk, Unknown
from reachy_mind.brains.word_lists import alternatives, spaced
from reachy_mind.models.wordpiece import without_accents

LONGEST = 400
_KIN = (
    r"(?:(?:grand)?(?:ma|pa|mother|father|mum|mom|dad|mummy|mommy|daddy|parents?)|granny|grandad|granddad|nana?|gran"
    r"|husband|wife|brother|sister|son|daughter|aunt|uncle|cousin|best friend|friend|partner|baby|child|dog|cat|puppy"
    r"|kitten|rabbit|hamster|pet|horse|budgie|guinea pig|boyfriend|girlfriend|neighbou?r|colleague)"
)
_PET = r"(?:dog|cat|puppy|kitten|rabbit|hamster|horse|pony|pet|budgie|guinea pig)"
_GRIEF = alternatives(
    rf"""
    \b(?:my|our)\b[^.!?]{{0,50}}\b(?:died|(?:is|are) dead|passed away|passed on|did ?n[o']?t make it|has passed)\b
    \b(?:my|our)\b[^.!?]{{0,50}}\b(?:was|were|got|be|been) (?:killed|run over|hit by a car)\b
    \bhad to be put (?:down|to sleep)\b|\b{_PET}\b[^.!?]{{0,30}}\b(?:was|were|be|been|got) put (?:down|to sleep)\b
    \bput (?:my|our|the) (?:\w+ ){{0,2}}{_PET}\b[^.!?]{{0,15}}\b(?:down|to sleep)\b
    \b{_KIN} (?:has |just )?(?:died|passed away|is dead)\b
    \b(?:i|we)(?:'ve| have)? (?:just |recently )?(?:lost|buried) (?:my|our) (?:\w+ ){{0,2}}{_KIN}\b
    \bi(?:'m| am) (?:now )?an? (?:widow|widower|orphan)\b|\b(?:i|we|my|our)\b[^.!?]*\bfuneral\b|'s funeral\b
    \b(?:i|we) (?:just |recently )?had a (?:miscarriage|stillbirth)\b
    \b(?:mon|ma|mes|notre|nos)\b[^.!?]{{0,40}}\b(?:est|sont) (?:decede|mort)e?s?\b
    \b(?:mon|ma|notre)\b[^.!?]*\bnous a quitte
    \bj'ai (?:perdu|enterre) (?:mon|ma|mes) (?:mari|femme|pere|mere|frere|soeur|fils)
    \bj'ai (?:perdu|enterre) (?:mon|ma|mes) (?:fille|ami|grand|chien|chat|maman|papa|bebe)
    \b(?:mamie|papi|papy|mamy|maman|papa) (?:est|vient de) (?:mort|morte|decede|decedee|mourir)\b
    \b(?:mon|ma|notre) (?:chien|chat|lapin)\w*\b[^.!?]*\b(?:piquer|euthanasi|endormir)|\b(?:enterrement|obseques)\b
    \b(?:mi|mis|nuestr[oa]s?)\b[^.!?]{{0,40}}\b(?:murio|murieron|ha muerto|fallecio|ha fallecido|falleci)\b
    \b(?:murio|fallecio|ha muerto|se murio|se nos murio) (?:mi|nuestr[oa])\b
    \b(?:sacrificar|dormir) a (?:mi|nuestr[oa])\b
    \b(?:he perdido|perdi) a (?:mi|mis)\b|\bfuneral\b|\bentierro\b
    \b(?:mein|meine|unser|unsere)\b[^.!?]{{0,40}}\b(?:gestorben|verstorben|tot|eingeschlafert|starb|uberfahren)\b
    \b(?:oma|opa|mama|papa) ist (?:gestorben|tot)\b
    \bich habe (?:meinen|meine|mein) [^.!?]{{0,20}}(?:verloren|begraben)\b
    \bbeerdigung\b|\beinschlafern lassen\b
    """
)
_NOT_GRIEF = re.compile(
    r"\b(?:phone|battery|laptop|computer|car|tv|television|tablet|printer|console|controller|bulb|character|avatar"
    r"|player|plant|flower|watch|montre|uhr|reloj|keys?|wallet|telephone|batterie|ordinateur|voiture|plante|movil"
    r"|telefono|bateria"
    r"|ordenador|coche|planta|handy|akku|auto|rechner|pflanze|schlussel|llaves|cles)s?\b"
)
_ILL_OTHER = alternatives(
    rf"""
    \b(?:my|our)\b[^.!?]{{0,40}}\b(?:is|was|are|has been|had to go) (?:back )?(?:in|into|to) (?:the )?hospital\b
    \b(?:my|our)\b[^.!?]{{0,40}}\b(?:went|got taken|taken) (?:back )?(?:in|into|to) (?:the )?hospital\b
    \b(?:my|our) (?:\w+ ){{0,3}}(?:has|had|got|suffered) (?:got )?(?:an? )?(?:\w+ )?(?:cancer|stroke)\b
    \b(?:my|our) (?:\w+ ){{0,3}}(?:has|had|got|suffered) (?:got )?(?:an? )?(?:\w+ )?(?:accident|surgery)\b
    \b(?:my|our) (?:\w+ ){{0,3}}(?:has|had|got|suffered) (?:got )?(?:an? )?(?:\w+ )?(?:operation|dementia|tumou?r)\b
    \b(?:my|our) (?:\w+ ){{0,2}}{_KIN} (?:\w+ )?(?:is|has been|fell|got) (?:\w+ )?(?:ill|sick|poorly|unwell|dying)\b
    \b(?:my|our) (?:\w+ ){{0,3}}broke (?:his|her|their) (?:\w+)\b
    \b(?:mon|ma|mes|notre)\b[^.!?]{{0,40}}\b(?:est|sont) (?:a l'hopital|hospitalise|(?:tres |gravement )?malade)
    \b(?:mon|ma|mes|notre)\b[^.!?]{{0,40}}\ba (?:un cancer|eu un (?:accident|avc)|fait un avc)
    \b(?:mi|mis|nuestr[oa])\b[^.!?]{{0,40}}\b(?:esta|estan) (?:en el hospital|ingresad[oa])
    \b(?:mi|mis|nuestr[oa])\b[^.!?]{{0,40}}\b(?:esta|estan) (?:(?:muy )?enferm[oa]|(?:muy )?malit[oa])
    \b(?:mi|mis|nuestr[oa])\b[^.!?]{{0,40}}\btiene (?:un )?cancer\b|\b(?:mi|nuestr[oa])\b[^.!?]*\btuvo un accidente
    \b(?:mein|meine|unser|unsere)\b[^.!?]{{0,40}}\b(?:im krankenhaus|ins krankenhaus|(?:sehr |schwer )?krank|krebs)\b
    \b(?:mein|meine|unser|unsere)\b[^.!?]{{0,40}}\bhatte einen (?:unfall|schlaganfall)
    """
)
_ILL = alternatives(
    r"""
    \bi(?:'m| am| was| have been| have to go| had to go) (?:in|into|to) (?:the )?hospital\b
    \bi (?:broke|sprained|hurt) my (?!promise)\w+
    \bi(?:'m| am| feel)(?: \w+)? (?:ill|sick|unwell|poorly)\b(?! of)
    \bi(?:'ve| have)(?: got)? (?:a |the )?(?:\w+ )?(?:fever|flu|cold|headache|tummy ache|migraine|toothache|cancer)\b
    \bi(?:'m going to| have to| need to| must|'ll| will) (?:have|get|undergo) (?:an? )?(?:\w+ )?(?:operation|surgery)\b
    \bje (?:suis|me sens) (?:\w+ )?malade\b|\bj'ai (?:de la fievre|la grippe|mal (?:a|au)|un rhume)\b
    \bje suis a l'hopital\b
    \b(?:estoy|me siento) (?:\w+ )?(?:enferm[oa]|mal)\b|\btengo (?:fiebre|gripe)\b|\bme duele\b
    \bestoy en el hospital\b
    \bich bin (?:\w+ )?krank\b|\bich habe (?:fieber|grippe|kopfschmerzen|bauchweh|bauchschmerzen)\b
    \bich (?:liege|bin) im krankenhaus\b
    """
)
_SAD = alternatives(
    r"""
    \b(?:we|i)(?:'ve| have)? (?:just )?(?:broke|broken|split) up\b
    \b(?:broke up with|left|dumped|is leaving|has left|cheated on) me\b(?! (?:a|some|the|alone))
    \b(?:i|we)(?:'m| am|'re| are) (?:getting )?divorced?\b|\bmy parents are (?:getting |splitting|separat|divorc)
    \b(?:lost (?:my|his|her) job|(?:was|got|been) (?:fired|laid off|made redundant|sacked|evicted|bullied))\b
    \bi(?:'ve| have)? (?:just )?failed (?:my|the|an?|in)\b|\bi miss (?:my|him|her|them|home|grand|mum|mom|dad)\b
    \bmy (?:best )?(?:friend|dog|cat)\b[^.!?]*\b(?:moved away|ran away|run away|is moving away)\b
    \bmy (?:best )?(?:friend|dog|cat)\b[^.!?]*\b(?:does ?n[o']?t like me|is missing)\b
    \b(?:laughed at|teased|shouted at|yelled at|bullied|picked on) me\b|\bmy feelings are hurt\b
    \bi(?:'m| am| feel|'ve been)(?: \w+){0,2} (?:sad|unhappy|heartbroken|depressed|miserable)\b
    \bi(?:'m| am| feel|'ve been)(?: \w+){0,2} (?:down(?! (?:here|there|to|for|in|on|at)))\b
    \beverything (?:is |was |goes |went |'s )?(?:going |gone )?wrong\b
    \b(?:i|we)(?:'ve| have)?(?: just)? had an? (?:bad|terrible|awful|horrible|rough) day\b
    \bmakes? me (?:\w+ )?sad\b|\bi(?:'ve been| was|'m) crying\b
    \b(?:m'a quitte|on s'est separes|j'ai perdu mon (?:travail|emploi|boulot)|j'ai rate mon|j'ai ete vire)
    \bje (?:suis|me sens)(?: \w+){0,2} (?:triste|malheureu|deprime)|\bmon ami\w* (?:a demenage|est partie?)\b
    \btu me manques|\bil me manque\b|\belle me manque\b
    \b(?:me dejo|me ha dejado|hemos roto|rompimos|perdi (?:mi|el) (?:trabajo|empleo))\b
    \b(?:he perdido (?:mi|el) (?:trabajo|empleo)|me han despedido|me despidieron|he suspendido|suspendi)\b
    \b(?:estoy|me siento)(?: \w+){0,2} (?:triste|deprimid|decaid)
    \bmi (?:mejor )?amig[oa]\b[^.!?]*\bse (?:fue|ha ido|mudo|ha mudado)\b|\becho de menos\b
    \b(?:hat mich verlassen|haben uns getrennt|hat schluss gemacht)\b
    \b(?:(?:meinen job|meine arbeit|meine stelle) verloren|wurde (?:entlassen|gekundigt)|durchgefallen)\b
    \bich (?:bin|fuhle mich)(?: \w+){0,2} (?:traurig|unglucklich|deprimiert)
    \bmein\w* (?:beste\w* )?freund\w*\b[^.!?]*\bweggezogen\b|\bich vermisse\b
    """
)
_LONELY = alternatives(
    r"""
    \b(?:nobody|no one|no-one) (?:wants?|wanted|likes?|talks?|talked|plays?)\b[^.!?]*(?:\bme\b|\bparty\b|\bsee\b|$)
    \b(?:nobody|no one|no-one) (?:played|visits?|came|comes)\b[^.!?]*(?:\bme\b|\bparty\b|\bsee\b|$)
    \b(?:nobody|no one|no-one) (?:calls?|called|cares?)\b[^.!?]*(?:\bme\b|\bparty\b|\bsee\b|$)
    \bi(?:'m| am| feel)(?: \w+){0,2} (?:lonely|all alone|left out)\b|\bi have no friends\b
    \bi don'?t have any friends\b
    \bpersonne ne (?:veut|voulait|m'aime|me parle|joue)\b|\bje (?:suis|me sens)(?: \w+){0,2} seule?\b
    \bje n'ai pas d'amis\b
    \bnadie (?:quiere|queria|quiso|me quiere|me habla|juega)\b|\b(?:estoy|me siento)(?: \w+){0,2} sol[oa]\b
    \bno tengo amigos\b
    \b(?:keiner|niemand) (?:will|wollte|mag|spielt|redet|spricht)\b
    \bich (?:bin|fuhle mich)(?: \w+){0,2} (?:einsam|allein)\b|\bich habe keine freunde\b
    """
)
_AFRAID = alternatives(
    r"""
    \b(?:monster|ghost|something)s? (?:is |are )?(?:under|in|behind) (?:my|the) (?:bed|wardrobe|closet)\b
    \b(?:monster|ghost|something)s? (?:is |are )?(?:under|in|behind) (?:my|the) (?:curtain|room|cupboard)\b
    \b(?:someone|somebody|witch)s? (?:is |are )?(?:under|in|behind) (?:my|the) (?:bed|wardrobe|closet)\b
    \b(?:someone|somebody|witch)s? (?:is |are )?(?:under|in|behind) (?:my|the) (?:curtain|room|cupboard)\b
    \b(?:i )?had an? (?:\w+ )?(?:nightmare|bad dream|scary dream)\b
    \bi(?:'m| am| feel|'m so)(?: \w+){0,2} (?:scared|afraid|frightened|terrified)\b(?! (?:you|i|that|so|not)\b)
    \b(?:monstre|fantome)\b[^.!?]*\b(?:sous|dans|derriere) (?:mon|ma|le|la)\b|\bj'ai (?:\w+ )?peur\b|\bcauchemar\b
    \b(?:monstruo|fantasma)\b[^.!?]*\b(?:debajo|bajo|en|detras)\b|\btengo (?:\w+ )?miedo\b|\bpesadilla\b
    \b(?:monster|gespenst|geist)\b[^.!?]*\b(?:unter|in|hinter) (?:meinem|dem|meiner)\b|\bich habe (?:\w+ )?angst\b
    \balbtraum\b|\balptraum\b
    """
)
_PROUD = alternatives(
    r"""
    \b(?:i|we)(?:'ve| have)? (?:just |finally |actually )?(?:passed (?:my|the|our))\b
    \b(?:i|we)(?:'ve| have)? (?:just |finally |actually )?(?:won (?:the|a|an|my|first|our|gold|at|against))\b
    \b(?:i|we)(?:'ve| have)? (?:just |finally |actually )?(?:graduated)\b
    \b(?:i|we)(?:'ve| have)? (?:just |finally )?got (?:the job|promoted|an a|a promotion|full marks|into)\b
    \b(?:i|we)(?:'ve| have)? (?:just |finally |actually )?(?:aced|came first)\b
    \bi(?:'ve| have)? (?:just |finally )?(?:learn(?:ed|t) (?:how )?to|managed to)\b|\bi(?:'m| am)(?: \w+){0,2} proud\b
    \bi can (?:ride|swim|read|tie)\b[^.!?]*\b(?:now|by myself|alone)\b
    \bj'ai (?:enfin )?(?:reussi|gagne|eu mon (?:permis|bac|examen))\b|\bje suis(?: \w+){0,2} fiere?\b
    \b(?:he |hemos )?(?:aprobe|aprobado|ganamos|gane|ganado|consegui el trabajo)\b|\bestoy(?: \w+){0,2} orgullos[oa]\b
    \bich habe[^.!?]*\b(?:bestanden|gewonnen|geschafft)\b|\bich bin(?: \w+){0,2} stolz\b
    """
)
_GOOD = r"(?:lovely|great|wonderful|nice|good|fantastic|brilliant|amazing|beautiful|perfect|super)"
_HAPPY = alternatives(
    rf"""
    \bhad (?:such )?an? (?:really |very |so )?{_GOOD} (?:day|time|evening|weekend|holiday|trip|morning)\b
    \bhad (?:such )?an? (?:really |very |so )?{_GOOD} (?:afternoon|party|walk|meal|lunch|dinner|week|visit)\b
    \b(?:i|we)(?:'m| am|'re| are) (?:pregnant|having a baby|expecting|engaged|getting married|in love)\b
    \b(?:i|we) (?:just )?(?:got (?:married|engaged)|fell in love)\b
    \b(?:my|our)\b[^.!?]*\b(?:had (?:a|her) baby|was born|is pregnant|got (?:married|engaged))\b
    \b(?:my|our)\b[^.!?]*\b(?:is getting married|has recovered|is cured|came home)\b
    \b(?:my|our) (?:\w+ )?team (?:has |just )?won\b
    \bi(?:'m| am) (?:going to be |now |becoming )?an? (?:grand(?:mother|father|ma|pa|parent))\b(?! of)
    \bi(?:'m| am) (?:going to be |now |becoming )?an? (?:aunt|uncle|mother|father|dad|mum|mom)\b(?! of)
    \bi(?:'m| am| feel)(?: \w+){{0,2}} (?:happy|glad|delighted|overjoyed|thrilled)\b(?! to (?:help|see you))
    \bbest day (?:ever|of my life)\b
    \bje suis(?: \w+){{0,2}} (?:heureu\w+|contente?)\b|\bje suis enceinte\b|\bon (?:attend un bebe|se marie)\b
    \bj'ai passe une? (?:\w+ )?(?:belle|bonne|super|excellente)\b
    \bestoy(?: \w+){{0,2}} (?:feliz|content[oa]|embarazada)\b|\bme caso\b|\bnos casamos\b
    \b(?:fue|ha sido|tuve) un (?:\w+ )?(?:dia|rato|fin de semana) (?:\w+ )?(?:precioso|estupendo)
    \b(?:he tenido|pase|he pasado) un (?:\w+ )?(?:dia|rato|fin de semana) (?:\w+ )?(?:precioso|estupendo)
    \b(?:fue|ha sido|tuve) un (?:\w+ )?(?:dia|rato|fin de semana) (?:\w+ )?(?:maravilloso|bonito|genial)
    \b(?:he tenido|pase|he pasado) un (?:\w+ )?(?:dia|rato|fin de semana) (?:\w+ )?(?:maravilloso|bonito|genial)
    \bich bin(?: \w+){{0,2}} (?:glucklich|froh|schwanger|verliebt)\b|\b(?:wir|ich) heirate\w*\b
    \bhatte einen? (?:\w+ )?(?:schone[ns]?|tolle[ns]?|wunderbare[ns]?)\b|\bwir bekommen ein (?:baby|kind)\b
    """
)
_ANGRY = (
    r"\bi(?:'m| am| feel)(?: \w+){0,2} (?:angry|furious|cross|mad at)\b|\bje suis(?: \w+){0,2} en colere\b"
    r"|\bestoy(?: \w+){0,2} enfadad[oa]\b|\bich bin(?: \w+){0,2} (?:wutend|sauer)\b"
)
_EVENTS = {
    "@feel_grief": re.compile(_GRIEF),
    "@feel_ill_other": re.compile(_ILL_OTHER),
    "@feel_sad": re.compile(_SAD),
    "@feel_lonely": re.compile(_LONELY),
    "@feel_afraid": re.compile(_AFRAID),
    "@feel_ill": re.compile(_ILL),
    "@feel_angry": re.compile(_ANGRY),
    "@feel_proud": re.compile(_PROUD),
    "@feel_happy": re.compile(_HAPPY),
}
"""In the order of what weighs most."""
_GLAD = frozenset(("@feel_happy", "@feel_proud"))
_OF_OTHERS = re.compile(
    r"\bproud of (?:my|our|him|her|them)\b|\bfiere? d(?:e (?:ma|mon|mes|lui)|'elle)\b|\borgullos[oa] de (?:mi|mis|el"
    r"|ella)\b"
    r"|\bstolz auf (?:mein\w*|ihn|sie)\b"
)
"""Pride in somebody else is a joy."""
_NOT_SO = re.compile(
    r"^\W*(?:if|what if|imagine|suppose|pretend|let's pretend|si|imagina|imagine|wenn|stell dir vor)\b"
    r"|\b(?:not|never|n't|ne|no|nicht|kein\w*) (?:\w+ )?(?:sad|happy|afraid|scared|angry|ill|sick|lonely|triste|feliz"
    r"|traurig|glucklich|malade|enferm[oa]|krank)\b|\b(?:you|tu|du)(?: are|'re)? (?:sad|happy|afraid|proud|lonely)\b"
    r"|\bproud of you\b"
)
_ASKS = re.compile(
    r"\?|^\W*(?:what|who|when|where|why|how|which|does|do|did|is|are|can|quel|qui|quand|ou|comment|pourquoi|est-ce"
    r"|que|quien|cuando|donde|como|por que|was|wer|wann|wo|wie|warum|hat|ist|remember|tell|say|remind|note|forget"
    r"|souviens|rappelle|recuerda|merk|erinnere)\b"
)
_TALK = frozenset(spaced("@tell @report @unclear @knowledge @correct @likes @yes @no @can_you @are_you"))
"""Kinds of talk that a telling of joy or loss may be taken for."""
_TOOLS = frozenset(spaced("sleep update_user_profile search_memories get_user_profile analyze_scene store_memory"))
"""Tools that it may be taken for."""
_BESIDE = frozenset(("@greet", "@bye", "@thanks"))


def kind(text: str) -> str:
    """The kind of feeling that a telling deserves; empty for anything else."""
    said = without_accents(text).replace("\u2019", "'")
    if len(said) > LONGEST or _NOT_SO.search(said) or _ASKS.search(said):
        return ""
    for feeling, pattern in _EVENTS.items():
        if (found := pattern.search(said)) and not (feeling == "@feel_grief" and _NOT_GRIEF.search(found[0])):
            return "@feel_happy" if feeling == "@feel_proud" and _OF_OTHERS.search(said) else feeling
    return ""


_MISTAKEN = frozenset(("@feel_ill", "@feel_angry", "@feel_bored", "@feel_tired"))
"""Kinds for which the reader takes sad news without their words."""


def felt(text: str, made: Plan) -> Plan | None:
    """The plan that answers a telling with feeling; None for anything else."""
    feeling = kind(text)
    if not feeling:
        return None
    read = [part for part in made.parts if isinstance(part, Talk) and part.kind.startswith("@feel_")]
    same = read and (read[0].kind in _GLAD) == (feeling in _GLAD) and read[0].kind not in _MISTAKEN
    if same and feeling not in ("@feel_grief", "@feel_ill_other") and not _OF_OTHERS.search(without_accents(text)):
        return made
    if not all(_may_be(part) for part in made.parts):
        return None
    beside = [part for part in made.parts if isinstance(part, Talk) and part.kind in _BESIDE and part.said != text]
    return Plan((*beside, Talk(feeling, text)), made.language)


def _may_be(part: Part) -> bool:
    match part:
        case Unknown() | Guess():
            return True
        case Step():
            return part.tool in _TOOLS
        case Talk():
            return part.kind in _TALK or part.kind in _BESIDE or part.kind.startswith("@feel_")
    return False
