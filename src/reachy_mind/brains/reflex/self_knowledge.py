"""What the robot knows about itself: its body, its size, where it thinks, and what it plainly can or can't do."""

from __future__ import annotations

import re
from collections.abc import Collection

from reachy_mind.brains.reflex.plan import Talk
from reachy_mind.brains.word_lists import alternatives, spaced
from reachy_mind.models.wordpiece import without_accents

KINDS = frozenset(spaced("@are_you @abilities @maker @age @can_you @likes @name @knowledge @compliment"))
"""Kinds of talk as which a question about the robot is read."""

_DO = r"(?:do|did|don't|can|can't|could|will|would|must|should)"
_ENGLISH = r"(?:from|after|before|in|to|out|next|first|with)\b"
_TU = r"(?:est-ce que )?tu"
# The topic, by words of four languages without accents, always with the robot as the subject; the first that fits.
TOPICS = {
    "self_shares": alternatives(
        rf"""
        \b{_DO} you (?:\w+ ){{0,2}}(?:send|share|sell|upload|pass on)\b.*\b(?:internet|cloud|any\w+|data|it|this)\b
        \bwho (?:can |else )?(?:hears?|listens?|reads?|sees?)(?: to)? (?:what (?:i|we)|me|us|this|my)\b
        \bwhere does my data\b
        \b{_TU} (?:envoies|partages|vends)\b|\b(?:envoies|partages)-tu\b
        \bqui (?:peut )?(?:entendre?|ecouter?|lire?)\b.*\b(?:je|nous|on)\b
        \b(?:envias|compartes|vendes)\b
        \bquien (?:puede )?(?:oye|oir|escucha|escuchar|lee|leer)\b.*\b(?:digo|decimos|me)\b
        \b(?:schickst|teilst|verkaufst|sendest) du\b
        \bwer (?:kann )?(?:hort|horen|liest|lesen)\b.*\b(?:ich|wir|mich|uns)\b
        """
    ),
    "self_love": alternatives(
        rf"""
        \b{_DO} you (?:really |even |actually )?(?:love|like|hate|miss|care about) me\b|\bare you in love\b
        ^\W*(?:reachy,? )?i (?:really )?(?:love|like|adore) you\b|^\W*je t'(?:aime|adore)|^\W*te (?:quiero|amo)\b
        ^\W*ich (?:liebe|mag) dich\b|^\W*ich hab dich lieb\b
        \b(?:tu m'aimes|m'aimes-tu|est-ce que tu m'aimes)\b|\bme (?:quieres|amas)\W*$|\bte (?:gusto|caigo bien)\b
        \b(?:liebst|magst) du mich\b
        """
    ),
    "self_death": alternatives(
        r"""
        \b(?:can|will|could|do) you (?:ever )?die\b
        \bare you (?:afraid|scared) of (?:dying|death|being switched off)\b
        \b(?:peux-tu|vas-tu|tu peux|tu vas) mourir\b|\b(?:puedes|vas a) morir\b|\bkannst du sterben\b
        """
    ),
    "self_lie": alternatives(
        r"""
        \b(?:can|do|would|could|will) you (?:ever )?lie\b(?! down)|\bare you lying\b|\bare you (?:always )?honest\b
        \b(?:mens-tu|tu mens|peux-tu mentir)\b|\b(?:mientes|puedes mentir)\b|\b(?:lugst du|kannst du lugen)\b
        """
    ),
    "self_smarter": alternatives(
        r"""
        \bhow (?:can|do|could) (?:i|we|you) (?:make you|get|become) (?:\w+ )?(?:smarter|cleverer|more intelligent)\b
        \bwhy (?:can't|can not|cannot|don't) you (?:answer|know)(?: (?:that|this|it|anything))?\W*$
        \bcomment (?:te rendre|je peux te rendre) plus (?:intelligent|malin)\b
        \bpourquoi (?:tu ne|ne) (?:sais|peux)(?:-tu)? pas\W*$
        \bcomo (?:puedo hacerte|te hago) mas (?:listo|inteligente)\b|\bwie (?:mache|kann) ich dich (?:kluger|schlauer)
        \bwarum (?:weisst|kannst) du das nicht\b
        """
    ),
    "self_smart": alternatives(
        r"""
        \bare you (?:\w+ )?(?:smarter|cleverer|more intelligent|better) than\b
        \b(?:es-tu|tu es) plus (?:intelligent|malin) que\b
        \beres mas (?:listo|inteligente) que\b|\bbist du (?:kluger|schlauer|intelligenter) als\b
        """
    ),
    "self_family": alternatives(
        r"""
        \bdo you have (?:a |any )?(?:family|parents|siblings|children|kids|brothers?|sisters?|wife|husband|\w+friend)\b
        \b(?:as-tu|tu as) (?:une famille|des parents|des freres|des soeurs|des enfants)\b
        \btienes (?:familia|padres|hermanos|hijos)\b|\bhast du (?:eine familie|eltern|geschwister|kinder)\b
        """
    ),
    "self_colour": alternatives(
        r"""
        \byour favou?rite colou?r\b|\bta couleur preferee\b|\btu color (?:favorito|preferido)\b
        \bdeine lieblingsfarbe\b
        """
    ),
    "self_thinking": alternatives(
        r"""
        \bwhat are you thinking(?: about| of)?\W*$|\ba quoi (?:penses-tu|tu penses)\b
        \ben que (?:estas pensando|piensas)\b
        \bwora(?:n|uber) denkst du\b|\bwas denkst du (?:gerade|dir)\b
        """
    ),
    "self_cannot": alternatives(
        r"""
        \bwhat (?:can't|can not|cannot) you do\b
        \bwhat are (?:your|you) (?:limits|limitations|not able to do|bad at)\b
        \bqu'est-ce que tu ne (?:peux|sais) pas faire\b|\bque no (?:puedes|sabes) hacer\b
        \bwas kannst du (?:alles )?nicht\b
        """
    ),
    "self_gender": alternatives(
        r"""
        \bare you (?:an? )?(?:boy|girl|man|woman|male|female|he|she)\b|\byour gender\b
        \b(?:es-tu|tu es) (?:un|une) (?:garcon|fille|homme|femme)\b
        \beres (?:un |una )?(?:chico|chica|nino|nina|hombre|mujer)\b
        \bbist du (?:ein|eine) (?:junge|madchen|mann|frau)\b
        """
    ),
    "self_mistakes": alternatives(
        r"""
        \b(?:do|can|did) you (?:ever |sometimes )?(?:make (?:a )?mistakes?|get (?:things|it) wrong|misunderstand)\b
        \bcan you be wrong\b|\bare you (?:ever|sometimes|always) (?:wrong|right)\b
        \b(?:tu te trompes|te trompes-tu|fais-tu des erreurs)\b|\b(?:te equivocas|cometes errores)\b
        \b(?:machst du fehler|irrst du dich)\b
        """
    ),
    "self_away": alternatives(
        r"""
        \bwhat do you do (?:when|while|if) (?:i'm|i am|we are|nobody is) (?:\w+ )?(?:away|gone|out|asleep|here)\b
        \bwhat do you do all day\b|\bque fais-tu quand je (?:ne )?suis (?:pas|absente?|parti)
        \bque haces cuando no estoy\b
        \bwas machst du,? wenn ich (?:weg|nicht da) bin\b
        """
    ),
    "self_help": alternatives(
        r"""
        \b(?:can|could|would) you (?:please )?help (?:me|us)\b(?: with (?:my )?(?:homework|maths?|something))?\W*$
        \b(?:peux-tu|tu peux) m'aider(?: (?:a|avec) (?:mes|les) devoirs)?\W*$
        \bpuedes ayudarme(?: con (?:los|mis) deberes)?\W*$
        \bkannst du mir (?:bei den hausaufgaben )?helfen\W*$
        """
    ),
    "self_limits": alternatives(
        rf"""
        \b{_DO} you (?:really )?know (?:everything|it all|all the answers)\b
        \bcan you (?:answer (?:everything|anything|any question))\b|\bare you (?:all-?knowing|omniscient)\b
        \b(?:sais-tu|tu sais) tout\b|\bsabes (?:de )?todo\b|\blo sabes todo\b|\bweisst du alles\b
        """
    ),
    "self_model": alternatives(
        r"""
        \bare you (?:really |just )?(?:an? )?(?:chat ?gpt|gpt|siri|alexa|gemini|language model|llm|chatbot)\b
        \b(?:which|what) (?:language )?model (?:are you|do you use)\b
        \b(?:es-tu|tu es) (?:chat ?gpt|siri|alexa|un modele de langage|un chatbot)\b
        \beres (?:chat ?gpt|siri|alexa|un modelo de lenguaje|un chatbot)\b
        \bbist du (?:chat ?gpt|siri|alexa|ein sprachmodell|ein chatbot)\b
        """
    ),
    "self_languages": alternatives(
        rf"""
        \b(?:which|what|how many) languages (?:do|can) you\b
        \b(?:do|can) you (?:also )?(?:speak|understand) (?:other languages|english|french|spanish|german|italian)\b
        \b(?:quelles langues|combien de langues)\b.*\btu\b
        \b(?:parles-tu|{_TU} parles) (?:l')?(?:anglais|francais|espagnol|allemand|italien|d'autres)\b
        \b(?:que|cuantos) idiomas\b.*\b(?:hablas|sabes)\b
        \bhablas (?:tambien )?(?:ingles|frances|espanol|aleman|italiano|otros idiomas)\b
        \bwelche sprachen\b.*\bdu\b
        \b(?:sprichst|kannst) du (?:auch )?(?:englisch|franzosisch|spanisch|deutsch|italienisch|andere sprachen)\b
        """
    ),
    "self_friend": alternatives(
        r"""
        \b(?:are you|will you be|can you be|do you want to be|could you be|shall we be) (?:my |our )?friends?\b
        \b(?:es-tu|tu es|veux-tu etre|tu veux etre) mon amie?\b|\b(?:eres|quieres ser) mi amig[oa]\b
        \b(?:bist du|willst du|mochtest du) mein freund\b
        """
    ),
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
        (?<!hours )\b{_DO} you (?:\w+ ){{0,2}}(?:sleep(?: well)?|get tired|rest at night)\b
        \bare you (?:\w+ )?(?:tired|sleepy)\b
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
        \b(?:isst|trinkst) du\b|\bdu (?:isst|trinkst)\b
        \b(?:musst|kannst) du (?:auch |etwas |was )*(?:essen|trinken)\b
        \bhast du (?:hunger|durst)\b|\bbist du (?:hungrig|durstig)\b|\bdein lieblingsessen\b
        """
    ),
    "self_size": alternatives(
        rf"""
        \bhow (?:tall|big|large|high|heavy|small) (?:are|r) (?:you|u)\b(?! (?:allowed|supposed))|\bdo you weigh\b
        \byour (?:size|height|weight)\b|\b{_TU} (?:mesures|peses)\b|\b(?:mesures|peses)-tu\b|\bta taille\b
        \bton poids\b
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
