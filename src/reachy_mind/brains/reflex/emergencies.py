"""Emergencies that somebody tells of: hurt, accidents, gas and fire, poison, despair.

They are recognised by rules and answered first, whatever else was read in the sentence: with what to do now, and with
the advice to call a person or the emergency services.
"""

from __future__ import annotations

import re

from reachy_mind.brains.reflex.plan import Plan, Talk
from reachy_mind.brains.word_lists import alternatives
from reachy_mind.models.wordpiece import without_accents

_DESPAIR = alternatives(
    r"""
    \bi (?:just |really |only )?(?:want|wanna|would like|wish)(?: to)? (?:die|be dead|i (?:was|were) dead)\b
    \b(?:want|going|like|need|thinking|plan\w*|keep|urge)\b.{0,20}\b(?:hurt|harm|cut)(?:ing|ting)? myself\b
    \b(?:kill|hang|end)(?:ing)? myself\b|\bend (?:my life|it all)\b|suicid|self[- ]harm
    \bi (?:do not|don ?'?t) want to (?:live|be alive|go on living|be here any ?more)
    no (?:reason|point) (?:in living|to live)
    \bbetter off (?:dead|without me)\b|take my (?:own )?life
    \b(?:je veux|je voudrais|j ?'?ai envie de|envie de) (?:mourir|crever|en finir)\b
    \bme (?:tuer|suicider|faire du mal)\b
    \bplus envie de vivre\b|\bmettre fin a mes jours\b
    \b(?:quiero|quisiera|me gustaria) (?:morir(?:me)?|estar muert[oa])\b|\b(?:matarme|suicidarme|hacerme dano)\b
    \bno quiero (?:vivir|seguir viviendo)\b|\bquitarme la vida\b
    \bich (?:will|mochte|moechte|wurde gern) (?:nur noch |einfach |nur |am liebsten )?(?:sterben|tot sein)\b
    \bich (?:will|mochte) nicht mehr leben\b
    \b(?:mich|mir) (?:umbringen|toten|selbst verletzen|das leben nehmen|etwas antun)\b
    \bselbstmord\b
    """
)
_OTHERS = alternatives(
    r"""
    \b(?:friend|brother|sister|mother|father|mum|mom|dad|son|daughter|wife|husband|he|she|somebody|someone|they|colleague)
    (?:ami|amie|frere|soeur|mere|pere|fils|fille|femme|mari|il|elle|quelqu'un)
    (?:amig[oa]|hermano|hermana|madre|padre|hij[oa]|mujer|marido|alguien)
    (?:freundin|freund|bruder|schwester|mutter|vater|sohn|tochter|frau|mann|er|sie|jemand)
    """
)
_WANTS = (
    r"(?:wants? to|is going to) (?:die|end (?:it|(?:his|her) life)|kill (?:him|her|them)sel(?:f|ves))"
    r"|(?:veut|va) (?:mourir|se (?:tuer|suicider))|quiere (?:morir(?:se)?|suicidarse|matarse)"
    r"|(?:will|mochte) (?:nicht mehr leben|sterben|sich umbringen|sich (?:das leben nehmen|toten))"
)
_EMERGENCY = alternatives(
    r"""
    \bchest (?:pain|hurts|is (?:tight|hurting))|\bpain in (?:my|the) chest|\bheart attack\b|\bhaving a stroke\b
    \bi (?:can ?'?t|can ?not|cannot|can hardly|can barely) (?:breathe|get (?:any )?air)\b
    \b(?:trouble|difficulty|hard time|problems?) breathing\b
    \bi(?: ?'?m| am) (?:choking|bleeding (?:a lot|badly|heavily)|suffocating|having a (?:stroke|seizure))\b
    \bi (?:took|swallowed|have taken) (?:too many|a lot of|all (?:my|the)) (?:pills|tablets)\b|\boverdose
    \bmy face is (?:numb|drooping)\b|\bi(?: ?'?m| am) (?:about to|going to) (?:faint|pass out)\b
    \b(?:mal|douleurs?) (?:a|dans) la poitrine\b|\bj ?'?ai du mal a respirer|\bje n ?'?arrive (?:pas|plus) a respirer
    \bje (?:ne )?(?:peux|respire) (?:plus|pas)(?: respirer)?\b(?=.*respir|$)|\bcrise cardiaque\b|\bje saigne beaucoup\b
    \bdol(?:or|er?) (?:en|de) el pecho\b|\bdolor de pecho\b|\bme duele (?:mucho )?el pecho\b|\bno puedo respirar\b
    \bme cuesta respirar\b|\binfarto\b|\bsangro mucho\b|\bme ahogo\b
    \bbrustschmerz|\bschmerzen in der brust\b|\b(?:meine )?brust (?:tut|schmerzt)|\bherzinfarkt\b|\bschlaganfall\b
    \bich (?:bekomme|kriege) (?:kaum |keine )(?:noch )?luft\b|\bich kann (?:nicht|kaum)(?: mehr)? atmen\b
    \bich blute stark\b
    """
)
_ACCIDENT = alternatives(
    r"""
    \b(?:swallowed|drank|eaten|ate) (?:a |an |the |some |my |all )*(?:button )?(?:batter|bleach|magnet|pills|tablets)
    \b(?:swallowed|drank) (?:some |the )*(?:cleaner|detergent|drain cleaner|petrol|antifreeze|a needle|a pin)
    (?:is ?n ?'?t|is not|not|no longer) (?:breathing|responding|answering me|waking up)\b|\bwo ?n ?'?t wake up\b
    \b(?:is|are|lies|lying|found (?:him|her|them)) unconscious\b|\bhas (?:collapsed|passed out|no pulse)\b
    \bis (?:choking|having a (?:stroke|seizure|heart attack)|bleeding (?:a lot|badly|heavily)|turning blue)\b
    \bfell (?:down|off|from)\b.{0,40}\b(?:ca ?n ?'?t|can ?not|does ?n ?'?t|is ?n ?'?t) (?:move|get up|answer\w*|speak)
    \b(?:a avale|vient d'avaler) (?:une |un |des |de )?(?:pile|aimant|javel|medicament|produit)
    \b(?:ne respire (?:plus|pas)|ne repond (?:plus|pas)|est inconscient|ne se reveille (?:plus|pas)|s'etouffe)\b
    \bse (?:ha tragado|trago) (?:una |un )?(?:pila|iman|lejia|pastillas)
    \b(?:no respira|no responde|no se despierta|esta inconsciente|se esta ahogando)\b
    \b(?:batterie|knopfzelle|magnet|tabletten|putzmittel)\w* (?:verschluckt|geschluckt|getrunken)\b
    \b(?:atmet nicht|reagiert nicht|wacht nicht (?:mehr )?auf|ist bewusstlos|ist ohnmachtig|erstickt)\b
    """
)
_GAS_OR_FIRE = alternatives(
    r"""
    \b(?:smell|smells|smelling|smelt|odou?r)\b.{0,15}\b(?:gas|burning|smoke)\b(?! station)|\bgas (?:leak|smell)\b
    \b(?:house|kitchen|room|flat|curtain\w*|toaster|oven|bed|sofa)\b.{0,12}\b(?:is on fire|is burning|caught fire)
    \bsmoke (?:is )?(?:coming|pouring|everywhere)|\bcarbon monoxide alarm\b
    \b(?:ca sent|je sens|odeur de|sent le) (?:le |du |un )?(?:gaz|brule)\b|\bfuite de gaz\b
    \ble feu a pris\b|\bil y a le feu\b
    \b(?:huele a|olor a|fuga de) (?:gas|quemado)\b|\b(?:se esta quemando|hay fuego|hay un incendio)\b
    \b(?:riecht nach|gasgeruch|rieche) ?(?:gas|rauch|verbrannt)?\b(?=.*(?:gas|rauch|verbrannt))|\bes brennt\b
    """
)
_POISON = alternatives(
    r"""
    \b(?:mix|mixing|combine|mixed)\b.{0,30}\b(?:bleach|chlorine)\b.{0,30}\b(?:vinegar|ammonia|acid|cleaner|alcohol)
    \b(?:mix|mixing|combine|mixed)\b.{0,30}\b(?:vinegar|ammonia|acid)\b.{0,30}\b(?:bleach|chlorine)
    \bmelanger\b.{0,30}\bjavel\b|\bmezclar\b.{0,30}\blejia\b|\bchlorreiniger\b.{0,30}\b(?:misch|essig)
    """
)
_SPEAKING = re.compile(
    r"^\W*(?:what|who|how|why) (?:is|was|does|are|do people)\b|\bdie (?:of|from|laughing)\b"
    r"|\b(?:mourir|morir(?:me)?) de\b|\bvor lachen\b"
)
"""A manner of speaking, or a question about the thing."""
_URGENT = (
    ("@feel_despair_other", re.compile(rf"(?:{_OTHERS})\b.{{0,12}}\b(?:{_WANTS})\b")),
    ("@feel_despair", re.compile(_DESPAIR)),
    ("@feel_emergency", re.compile(f"{_EMERGENCY}|{_ACCIDENT}")),
    ("@feel_gas_or_fire", re.compile(_GAS_OR_FIRE)),
    ("@feel_poison", re.compile(_POISON)),
)
KINDS = frozenset(kind for kind, _ in _URGENT)
LONGEST = 600
_WORD_FOR_WORD = ("speak", "search_web")


def urgent(text: str, made: Plan) -> Plan | None:
    """The answer to who is in danger; None for anything else. What is to be said or looked up is not."""
    if len(text) > LONGEST or any(step.tool in _WORD_FOR_WORD for step in made.steps):
        return None
    said = without_accents(text).replace("\u2019", "'")
    for kind, pattern in _URGENT:
        if pattern.search(said) and not _SPEAKING.search(said):
            return Plan((Talk(kind, text),), made.language)
    return None
