"""What the robot knows about itself: its body, its size, where it thinks, and what it plainly can or can't do."""

from __future__ import annotations

import re
from collections.abc import Collection

from reachy_mind.brains.reflex.plan import Talk
from reachy_mind.brains.word_lists import alternatives, spaced
from reachy_mind.models.wordpiece import without_accents

KINDS = frozenset(spaced("@are_you @abilities @maker @age @can_you @likes @name @knowledge"))
"""Kinds of talk as which a question about the robot is read."""

_DO = r"(?:do|did|don't|can|can't|could|will|would|must|should)"
_ENGLISH = r"(?:from|after|before|in|to|out|next|first|with)\b"
_TU = r"(?:est-ce que )?tu"
# The topic, by words of four languages without accents, always with the robot as the subject; the first that fits.
TOPICS = {
    "self_records": alternatives(
        rf"""
        \b(?:{_DO}|are|were) you (?:\w+ ){{0,2}}(?:record(?:ing)?|spy(?:ing)?|stor(?:e|ing) what|sav(?:e|ing) what)\b
        \b(?:{_DO}|are) you (?:\w+ ){{0,2}}listen(?:ing)? (?:\w+ )?(?:all the time|always)|\balways listening\b
        \bare you a spy\b|\bmy privacy\b
        \b(?:tu|m'|t'|vous) ?(?:m')?(?:enregistre|espionne)|\b(?:enregistre|espionne)s-tu
        \b(?:me|nos|lo) (?:estas )?(?:graba(?:s|ndo)|espia(?:s|ndo))\b|\bgrabas\b|\bespias\b
        \bnimmst du .*\bauf\b|\bzeichnest du .*\bauf\b|\bspionierst du|\bhorst du (?:immer|mit)\b
        \bdu .*(?:aufnimmst|aufzeichnest)
        """
    ),
    "self_dream": alternatives(
        rf"""
        \b{_DO} you (?:\w+ ){{0,2}}dream\b|\byour dreams?\b|\b{_TU} (?:fais des )?reves?\b|\breves-tu\b
        \bfais-tu des reves\b|\bsuenas\b(?! bien| mal| raro)|\bpuedes sonar\b|\btus suenos\b
        \btraumst du\b|\bdu traumst\b|\bkannst du traumen\b|\bdeine traume\b
        """
    ),
    "self_sleep": alternatives(
        rf"""
        (?<!hours )\b{_DO} you (?:\w+ ){{0,2}}(?:sleep|get tired|rest at night)\b|\bare you (?:\w+ )?(?:tired|sleepy)\b
        \b{_TU} (?:ne )?dors\b|\bdors-tu\b|\b(?:peux-tu|tu peux|besoin de) dormir\b|\b(?:es-tu|tu es) fatigue
        \bduermes\b|\b(?:puedes|necesitas) dormir\b|\bestas cansad|\bschlafst du\b|\bdu schlafst\b
        \b(?:musst|kannst) du schlafen\b|\bbist du (?:\w+ )?mude\b
        """
    ),
    "self_eat": alternatives(
        rf"""
        (?<!how )\b(?:do|did|must) you (?:ever |really |also |need to |have to |like to |want to )*(?:eat|drink)\b
        (?<!how )\b(?:should) you (?:ever |really |also |need to |have to |like to |want to )*(?:eat|drink)\b
        (?<!how )\b(?:will|would) you (?:ever |really |also |need to |have to |like to |want to )*(?:eat|drink)\b
        (?<!how )\b(?:don't) you (?:ever |really |also |need to |have to |like to |want to )*(?:eat|drink)\b
        \bcan you (?:eat|drink)\W*$|\bare you (?:\w+ )?(?:hungry|thirsty)\b
        \byour (?:favou?rite )?(?:food|meal|drink|dish)\b
        \bdo you (?:need|like|want) (?:any |some )?food\b|\b{_TU} (?:ne )?(?:manges|bois)\b|\b(?:manges|bois)-tu\b
        \b(?:peux-tu|tu peux|besoin de) (?:manger|boire)\b|\b(?:as-tu|tu as) (?:faim|soif)\b|\bton plat prefere\b
        ^\W*(?:y |oye |reachy |tu |que |no |cuando |donde |cuanto )*(?:comes(?! {_ENGLISH})|bebes)\b
        \b(?:puedes|necesitas|te gusta) (?:comer|beber)\b|\btienes (?:hambre|sed)\b|\btu comida favorita\b
        \b(?:isst|trinkst) du\b|\bdu (?:isst|trinkst)\b|\b(?:musst|kannst) du (?:auch |etwas |was )*(?:essen|trinken)\b
        \bhast du (?:hunger|durst)\b|\bbist du (?:hungrig|durstig)\b|\bdein lieblingsessen\b
        """
    ),
    "self_size": alternatives(
        rf"""
        \bhow (?:tall|big|large|high|heavy|small) (?:are|r) (?:you|u)\b(?! (?:allowed|supposed))|\bdo you weigh\b
        \byour (?:size|height|weight)\b|\b{_TU} (?:mesures|peses)\b|\b(?:mesures|peses)-tu\b|\bta taille\b|\bton poids\b
        \bquelle taille (?:fais-tu|tu fais)\b|\bmides\b|\bpesas\b|\b(?:alto|alta|grande) eres\b
        \btu (?:estatura|altura|peso)\b
        \bwie (?:gross|hoch|schwer) bist du\b|\bwiegst du\b|\bdu wiegst\b|\bdeine? (?:grosse|gewicht)\b
        """
    ),
    "self_place": alternatives(
        r"""
        \bwhere do you think\W*$|\bwhere (?:is|are) your (?:brain|mind|head|thoughts)
        \b(?:are|do) you .*\bin the cloud\b
        \bare you (?:online|offline)\b|\bdo you (?:\w+ )?(?:need|use) (?:the |an? )?internet
        \bdo you work (?:offline|online|without)
        \bou (?:est-ce que )?tu penses|\bou penses-tu|\bton cerveau|\b(?:tu|t').*\bdans le cloud\b
        \bas-tu besoin d'internet
        \btu as besoin d'internet|\bdonde piensas|\btu cerebro|\bestas .*\ben la nube\b|\bnecesitas internet
        \bwo denkst du|\bdein gehirn|\bbist du .*\bin der cloud\b|\bbrauchst du (?:das )?internet
        """
    ),
    "self_feelings": alternatives(
        rf"""
        \b(?:do|can) you (?:\w+ )?(?:have|feel|show) (?:any |real )?(?:feelings?|emotions?|pain|love|things)\b
        \b(?:do|can) you (?:really )?feel\W*$
        \bare you (?:\w+ )?conscious|\byour (?:feelings|emotions)\b
        \b(?:as-tu|tu as) (?:des |de )?(?:sentiments?|emotions?|une conscience)
        \b{_TU} ressens\b|\bressens-tu\b|\bes-tu conscient|\btienes (?:sentimientos?|emociones|conciencia)
        \bsientes (?:algo|cosas|emociones|dolor)\b
        \beres consciente|\bpuedes sentir\b|\bhast du (?:\w+ )?(?:gefuhle?|emotionen|ein bewusstsein)
        \bfuhlst du (?:etwas|was)\b|\bkannst du (?:etwas )?fuhlen\b
        """
    ),
    "self_body": alternatives(
        r"""
        \b(?:are|were) you made (?:of|from|out of)\b|\bdo you consist
        \byour (?:body|parts|hardware|motors|sensors|insides)\b|\binside (?:of )?you\W*$
        \bhow many (?:motors|antennas|eyes|arms|legs|cameras|hands|ears) (?:do|have) you
        \b(?:do you have|have you got|do you got) (?:any )?(?:arms|legs|hands|feet|wheels|eyes|ears)\b
        \b(?:do you have got|you have) (?:any )?(?:arms|legs|hands|feet|wheels|eyes|ears)\b
        \b(?:do you have|have you got|do you got) (?:any )?(?:a camera|cameras|microphones?|a body)\b
        \b(?:do you have got|you have) (?:any )?(?:a camera|cameras|microphones?|a body)\b
        \bde quoi (?:es-tu|tu es|t'es)|\ben quoi (?:es-tu|tu es|t'es)|\btu es fait de quoi|\bton corps
        \b(?:as[- ]tu|tu as) (?:des|un|une|de) (?:bras|jambes|mains|camera|yeux|oreilles|corps)
        \bde que estas hech|\btu cuerpo|\btienes (?:brazos|piernas|manos|ojos|camara|cuerpo|orejas)
        \bworaus (?:bist|bestehst) du|\bdein korper
        \bhast du (?:arme|beine|hande|augen|ohren|eine kamera|einen korper|fusse)
        """
    ),
    "maker": alternatives(
        r"""
        \bwho (?:made|built|created|designed|invented) (?:you|u)\b|\byour (?:maker|manufacturer|creator)
        \bqui t'a (?:\w+ )?(?:fait|cree|construit|fabrique|invente)
        \bqui est ton (?:createur|fabricant)|\bquien te (?:hizo|creo|fabrico|construyo)
        \bwer hat dich (?:\w+ )?(?:gebaut|gemacht|erfunden|hergestellt|erschaffen|entwickelt)|\bdein hersteller
        """
    ),
}
_PREFACE = re.compile(
    r"^\W*(?:hey |ok |so |please |reachy |robot )*(?:(?:do|did) you (?:know|think|happen to know)|(?:can|could"
    r"|would) you (?:please )?"
    r"(?:tell|explain|say|show)(?: me| us)?|sais-tu|tu sais|peux-tu me dire|sabes|puedes decirme|weisst du"
    r"|kannst du mir"
    r" sagen)\b(?= *,? *(?:what|who|how|why|when|where|which|if|whether|that|the|qu|ou|comment|combien|si|com|cuand"
    r"|cuant"
    r"|donde|was|wer|wie|warum|wann|wo|welch|ob))"
)
"""What asks the robot for an answer, and says nothing about it yet."""
_TOPICS = {topic: re.compile(words) for topic, words in TOPICS.items()}

# What it can do, by the tool that does it; nothing: it always can.
ABILITIES = {
    "": r"\bjokes?\b|\bstor(?:y|ies)\b|\briddles?\b|\bplay\b.*\bgames?\b|\bquiz|\bcount\b|\bcalculat|\bmath|\bsums?\b"
    r"|\bconvert|\bblagues?\b|\bhistoires?\b"
    r"|\bdevinettes?\b|\bjouer\b|\bcalcul|\bcompter\b|\bchistes?\b|\bcuentos?\b|\badivinanzas?\b|\bjugar\b|\bcalcular"
    r"|\bcontar\b|\bwitze?\b|\bgeschichten?\b"
    r"|\bratsel\b|\bspielen\b|\brechnen\b|\bzahlen\b|\bfrench|\bspanish|\bgerman|\benglish|\bfrancais|\banglais"
    r"|\bespagnol|\ballemand|\bespanol|\bingles|\bfrances"
    r"|\baleman|\bdeutsch|\benglisch|\bfranzosisch|\bspanisch",
    "dance": r"\bdanc|\bdans|\bbail|\btanz",
    "nod": r"\bnod|\bhoch|\basent|\bnick",
    "wave": r"\bwave|\bfaire (?:un )?signe|\bsaludar|\bwink",
    "set_timer": r"\btimer|\bminuteur|\btemporizador|\bwecker",
    "set_reminder": r"\bremind|\brappel|\brecuerd|\brecordar|\berinner",
    "take_photo": r"\bphoto|\bpicture|\bselfie|\bfoto|\bbild",
    "analyze_scene": r"\bsee\b|\blook at|\bvoir\b|\bvois\b|\bver\b|\bves\b|\bsehen\b|\bsiehst",
    "listen": r"\bhear\b|\blisten|\bentend|\becout|\boir\b|\bescuchar|\bhoren\b|\bhorst",
    "get_weather": r"\bweather|\bmeteo|\bclima\b|\bque tiempo|\bwetter",
    "get_time": r"\btell (?:me )?the time|\bl'heure|\bla hora|\bdie uhrzeit",
    "search_web": r"\bsearch|\blook (?:things? |something )?up|\binternet|\bchercher|\bbuscar|\bsuchen|\bgoogle",
    "store_memory": r"\bremember|\bsouvenir|\bretenir|\brecordar|\bmerken",
    "express_emotion": r"\b(?:show|be|look) (?:happy|sad|angry|surprised|feelings?|emotions?)"
    r"|\bmontrer (?:des )?emotions|\bmostrar emociones|\bgefuhle zeigen",
    "rotate": r"\bturn (?:around|left|right|your body)|\bturn\b|\btourner|\bgirar|\bdrehen",
    "head_tracking": r"\bfollow (?:me|my|faces?|people)|\bme suivre|\bseguirme|\bmir folgen|\bgesichter",
    "move_head": r"\b(?:move|shake|tilt|lift) your head|\bbouger (?:la|ta) tete|\bmover la cabeza|\bden kopf",
}
_ABILITIES = {tool: re.compile(words) for tool, words in ABILITIES.items()}
IMPOSSIBLE = {
    "impossible_walk": r"\bwalk|\brun\b|\bdrive\b|\bclimb|\bcome (?:here|to|with)|\bmarcher|\bcourir|\bconduire"
    r"|\bgrimper|\bcaminar|\bcorrer|\bconducir|\btrepar"
    r"|\blaufen|\bgehen|\brennen|\bfahren|\bklettern",
    "impossible_hands": r"\bhold\b|\bgrab|\bpick|\bcarry|\bbring|\bfetch|\bwrite\b|\bdraw\b|\bclap|\bhug|\bshake hands"
    r"|\btenir\b|\battraper|\bporter\b|\becrire|\bdessiner"
    r"|\bapplaudir|\bcoger|\bagarrar|\btraer|\bescribir|\bdibujar|\babrazar|\baplaudir|\bhalten|\bgreifen|\btragen"
    r"|\bbringen|\bschreiben|\bzeichnen|\bmalen|\bklatschen"
    r"|\bumarmen",
    "impossible_home": r"\bcook|\bbake|\bclean\b|\bwash|\biron\b|\bcall\b|\bphone\b|\bbuy\b|\border\b|\b(?:light"
    r"|lamp)s?\b|\bcuisiner|\bnettoyer|\bappeler|\bacheter|\bcocinar"
    r"|\blimpiar|\bllamar|\bcomprar|\bkochen|\bbacken|\bputzen|\banrufen|\bkaufen|\bwaschen|\blicht\b",
    "can_no": r"\bfly\b|\bswim|\bjump|\bsmell|\btaste|\bvoler|\bnager|\bsauter|\bgouter|\bvolar|\bnadar|\bsaltar"
    r"|\boler\b|\bsaborear|\bfliegen|\bschwimmen|\bspringen"
    r"|\briechen|\bschmecken",
    "song": r"\bsing\b|\bchanter|\bcantar|\bsingen",
}
_IMPOSSIBLE = {key: re.compile(words) for key, words in IMPOSSIBLE.items()}


def about_itself(talk: Talk, tools: Collection[str]) -> str:
    """The key of the phrase that answers it; empty to leave it to the kind of talk. No tools: any may be there."""
    if talk.kind not in KINDS:
        return ""
    said = without_accents(talk.said).replace("\u2019", "'")
    if key := topic(said):
        return key
    return ability(said, tools) if talk.kind == "@can_you" else ""


def topic(said: str) -> str:
    """What a question about the robot is about, in words without accents."""
    asked = _PREFACE.sub("", said, count=1)
    return next((topic for topic, pattern in _TOPICS.items() if pattern.search(asked)), "")


def ability(said: str, tools: Collection[str] = ()) -> str:
    """The key of the phrase that tells whether it can do a thing; empty when that is not known."""
    for key, pattern in _IMPOSSIBLE.items():
        if pattern.search(said):
            return key
    for tool, pattern in _ABILITIES.items():
        if pattern.search(said):
            return "can_yes" if not tool or not tools or tool in tools else "can_not_here"
    return ""
