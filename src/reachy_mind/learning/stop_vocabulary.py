"""The words that the training sentences of the stop classifier are varied with, in four languages."""

from __future__ import annotations

from reachy_mind.brains.word_lists import lines

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
PARTS = {
    "en": lines("antenna|antennas|head|neck|base|body|motor|side|hinge|gears"),
    "fr": lines("antenne|tete|cou|socle|corps|moteur|dos|engrenage"),
    "es": lines("antena|cabeza|cuello|base|cuerpo|motor|lado|engranaje"),
    "de": lines("Antenne|Kopf|Hals|Sockel|Körper|Motor|Gehäuse|Getriebe"),
}
"""Parts of the robot, by language."""
CRIES = {
    "en": lines("ow|ouch|oww|owie|ow ow|ow ow ow|ouch ouch|argh|aah|yikes|oof|au|ah|eek|hey|oh no|ahh|yow|owch|uh oh"),
    "fr": lines("aïe|ouille|aïe aïe|aïe aïe aïe|ouh|ah|ouch|hé|oh non|ay|aie|outch|argh|oh là"),
    "es": lines("ay|ay ay|ay ay ay|auch|au|uy|ah|eh|oh no|ayyy|huy|aah|oye|ouch"),
    "de": lines("aua|autsch|au|aua aua|aua aua aua|ah|he|oh nein|auaa|autsch autsch|argh|hey|uff|auweia"),
}
"""What people cry when they are hurt, by language."""
HEARD = {
    "en": {
        "stop": "stopped|top|stob|stock|shop|stuff|step|stop up|stopp",
        "ouch": "out|owch|auch|couch|oh ch",
        "ow": "oh|how|au|al|our",
        "finger": "fingers|finga|thing her",
        "stuck": "stock|stack|struck|stuff|duck",
        "hurts": "hurt|hearts|hertz|her",
        "hurting": "hurtin|hurt in|herding",
        "off": "of|oft|up|ough",
        "you're": "your|you|ur|you are",
        "it's": "its|is|it",
        "can't": "cant|can|kant",
        "don't": "dont|don|do not|down",
        "halt": "hold|hult|hall|alt",
        "freeze": "fries|frees|freese|breeze",
        "let": "led|lit|lets",
        "go": "goal|co|gold",
        "me": "my|may",
        "shut": "shot|chat|shirt",
        "down": "town|don",
        "hair": "here|air|hare",
        "power": "our|powers|power up",
        "quit": "quick|quid|quite",
        "burning": "burn in|burnin|burying",
        "falling": "fallin|fall in|following",
        "caught": "court|cot|got",
        "back": "bag|pack",
        "enough": "in a|enuf|and off",
    },
    "fr": {
        "arrête": "arrete|arrêter|arrêté|arret|a rete|arrêtes|la rete",
        "lâche": "lache|l'ache|la che|lâches|tache",
        "mal": "mâle|male|balle",
        "aïe": "ail|aille|ay|i|haie",
        "fais": "fait|fé|fée",
        "coincé": "coincer|quinze et|coin c'est",
        "brûle": "brule|bruler|brûler",
        "éteins-toi": "éteins toi|éteint toi|et un toi",
        "doigt": "doit|dois|toi",
        "main": "maine|mais|mes",
        "stop": "stoppe|top|stope",
        "attention": "attends sion|attentions|la tension",
        "suffit": "suffi|su fi|souffle",
        "bouge": "bouges|bouche|bougie",
        "tomber": "tombé|tombe",
        "ça": "sa|ca|c'est",
    },
    "es": {
        "para": "parra|pará|barra|parar|pera",
        "suéltame": "suelta me|sueltame|suelte me|su el tame",
        "suelta": "suelto|vuelta|suelte",
        "ay": "hay|ahí|ai|hey",
        "basta": "vasta|pasta|hasta",
        "duele": "duelle|due le|suele",
        "déjame": "deja me|dejame|deja",
        "daño": "dano|baño|año",
        "apágate": "apaga te|apagate|paga te",
        "detente": "de tente|detén|de gente",
        "quieto": "quiero|quito|quita",
        "cuidado": "cuidao|cuidados|cuida",
        "mano": "manos|mana",
        "quema": "que ma|tema|queman",
        "atrapada": "atrapado|trapada|atrapa",
        "stop": "estop|esto|es top",
    },
    "de": {
        "stopp": "stop|stoff|topp|stock|schopp",
        "stop": "stopp|stoff|top",
        "hör": "hor|hoer|her|höher|er",
        "auf": "aus|of|rauf",
        "aua": "auer|aura|aue|au a|auge",
        "lass": "las|last|das",
        "los": "loss|lose|los los",
        "weh": "we|wer|web|wie",
        "halt": "hallt|alt|hält|bald",
        "finger": "fingern|fängt|ringer",
        "fest": "fast|fässt|test",
        "eingeklemmt": "ein geklemmt|eingeklemmtes|eingeklemt",
        "aus": "auch|haus|auf",
        "vorsicht": "vor sich|vorsichtig|forsicht",
        "fällst": "felst|fällt|hältst",
        "tust": "tus|tut|du",
        "nicht": "nich|nichts|nix",
        "raus": "aus|heraus|rauf",
    },
}
"""What speech to text makes of words, by language."""
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
        "|did i say {}|i didn't say {}|tell my brother {}|what happens if i say {}"
        "|what would you do if {}|is it true that {}"
        "|i dreamed that {}|how do you feel when {}|in the story {}|what if {}|why would anyone say {}"
        "|{} yesterday|{} last week in the film|{} is a song|{} was what he wrote|{} when i was little"
        "|he always said {}"
    ),
    "fr": lines(
        "que veut dire {}|comment dit-on {} en anglais|qui a dit {}|une chanson qui s'appelle {}"
        "|ma soeur dit toujours {}"
        "|le panneau dit {}|pourquoi dit-on {}|il a crié {} et il est parti|traduis {} en allemand|elle m'a dit {} hier"
        "|le mot {}|dis {}|je n'ai pas dit {}|que se passe-t-il si {}|que fais-tu si {}"
        "|est-ce vrai que {}|j'ai rêvé que {}"
        "|qu'est-ce qui se passe quand {}|dans l'histoire {}|{} hier|{} la semaine dernière dans le film"
        "|{} est une chanson|{} quand j'étais petit"
    ),
    "es": lines(
        "qué significa {}|cómo se dice {} en inglés|quién dijo {}|una canción que se llama {}"
        "|mi hermana siempre dice {}"
        "|el cartel dice {}|por qué se dice {}|gritó {} y se fue|traduce {} al alemán|ayer me dijo {}|la palabra {}"
        "|di {}"
        "|no dije {}|qué pasa si {}|qué harías si {}|es verdad que {}|soñé que {}|qué pasa cuando {}|en el cuento {}"
        "|{} ayer"
        "|{} la semana pasada en la película|{} es una canción|{} cuando era pequeño"
    ),
    "de": lines(
        "was bedeutet {}|wie sagt man {} auf englisch|wer hat {} gesagt|ein lied das {} heißt"
        "|meine schwester sagt immer "
        "{}|auf dem schild steht {}|warum sagt man {}|er rief {} und lief weg|übersetze {} ins französische"
        "|gestern sagte "
        "sie {}|das wort {}|sag {}|ich habe nicht {} gesagt|was passiert wenn {}"
        "|was machst du wenn {}|stimmt es dass {}"
        "|ich habe geträumt dass {}|in der geschichte {}|{} gestern|{} letzte woche im film"
        "|{} ist ein lied|{} als ich klein war"
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
DEEDS = {
    "en": lines(
        "look left|nod|dance|tell me a joke|look at me|turn around|say hello|wave|set a timer|play a song|go to sleep"
        "|look up|take a photo|sing"
    ),
    "fr": lines("regarde à gauche|hoche la tête|danse|raconte une blague|regarde-moi|chante|dis bonjour|salue"),
    "es": lines("mira a la izquierda|asiente|baila|cuenta un chiste|mírame|canta|di hola|saluda"),
    "de": lines("schau nach links|nick|tanz|erzähl einen witz|schau mich an|sing|sag hallo|wink"),
}
AND = {"en": ("and", "then", "and then"), "fr": ("et", "puis"), "es": ("y", "y luego"), "de": ("und", "und dann")}
PLAIN_STOPS = {
    "en": ("stop", "stop that", "halt", "freeze"),
    "fr": ("arrête", "stop"),
    "es": ("para", "basta"),
    "de": ("stopp", "hör auf"),
}
