"""Units and times of day of other languages, in English: one line each, applied in their order.

They are applied to small letters without accents, in which number words are digits already.
"""

from __future__ import annotations

import re

Rules = tuple[tuple[re.Pattern[str], str], ...]


def _rules(text: str) -> Rules:
    pairs = (line.split(" => ") for line in text.strip().splitlines())
    return tuple((re.compile(rf"(?<!\w)(?:{old.strip()})(?!\w)"), new.strip()) for old, new in pairs)


_FRENCH = _rules(
    r"""
    (?:dans|pendant|d'?ici|en|pour) (\d+) (?:heures?|h) et demie? => in \1 hours 30 minutes
    (?:dans|pendant|d'?ici|en|pour) (\d+) (?:heures?|h) et quart => in \1 hours 15 minutes
    (?:une? )?demi[- ]?heure => 30 minutes
    (?:1 |une? )?quart d ?'? ?heure => 15 minutes
    3 quarts? d ?'? ?heure => 45 minutes
    (\d+) (?:heures?|h) et quart => \1:15
    (\d+) (?:heures?|h) et demie? => \1:30
    (\d+) (?:heures?|h) moins (?:le )?quart => quarter to \1
    (?:dans|pendant|pour|d'?ici) (\d+) ?(?:heures?|h) ?(\d{1,2})? => in \1 hours \2 minutes
    (\d{1,2}) ?(?:heures?|h) ?(\d{2}) => \1:\2
    a (\d{1,2}) ?(?:heures?|h) (\d) => \1:0\2
    (?:a|vers|pour|des) (\d{1,2}) ?(?:heures?|h) => at \1:00
    (\d+) ?(?:heures?|h) => \1 hours
    (\d+) ?(?:minutes?|mn|min) => \1 minutes
    (\d+) ?(?:secondes?|sec|s) => \1 seconds
    jours? => days
    semaines? => weeks
    fois => times
    degres? => degrees
    pour ?cents? => percent
    minuit => midnight
    apres[- ]demain => in 2 days
    demain => tomorrow
    aujourd'? ?hui => today
    ce soir => this evening
    cet? apres[- ]?midi => this afternoon
    ce matin => this morning
    cette nuit => tonight
    du matin|au matin|le matin|matin => in the morning
    de l ?'? ?apres[- ]?midi|l ?'? ?apres[- ]?midi|apres[- ]?midi => in the afternoon
    du soir|le soir|au soir|soir => in the evening
    midi et demie? => 12:30
    midi => noon
    lundi => monday
    mardi => tuesday
    mercredi => wednesday
    jeudi => thursday
    vendredi => friday
    samedi => saturday
    dimanche => sunday
    dans|d'ici => in
    moins => minus
    virgule => .
    (?:la )?moitie => half
    (?:1 )?quart de tour => 90 degrees
    (?:1 )?demi[- ]tour => 180 degrees
    tour complet => 360 degrees
    (?:1 )?quart => quarter
    centimetres?|cm => cm
    millimetres?|mm => mm
    metres? => meters
    """
)
_SPANISH = _rules(
    r"""
    media hora => 30 minutes
    (?:1 |un )?quarter de hora => 15 minutes
    (?:3|tres) quarters de hora => 45 minutes
    (\d+) horas? y media => \1 hours 30 minutes
    (\d+) minutos? y medio => \1 minutes 30 seconds
    (\d+) horas? y quarter => \1 hours 15 minutes
    (?:las? )(\d{1,2}) y media => \1:30
    (?:las? )(\d{1,2}) y quarter => \1:15
    (?:las? )(\d{1,2}) menos quarter => quarter to \1
    (?:las? )(\d{1,2}) y (\d{2}) => \1:\2
    (?:las? )(\d{1,2}) y (\d) => \1:0\2
    (?:las? )(\d{1,2})(?: horas| h)? => at \1
    (\d+) ?(?:horas?|h) => \1 hours
    (\d+) ?(?:minutos?|min) => \1 minutes
    (\d+) ?(?:segundos?|seg|s) => \1 seconds
    dias? => days
    semanas? => weeks
    veces|vez => times
    grados? => degrees
    por ?ciento => percent
    mediodia => noon
    medianoche => midnight
    pasado manana => in 2 days
    (?:de|por) la manana => in the morning
    manana por la manana => tomorrow in the morning
    esta manana => this morning
    manana => tomorrow
    hoy => today
    esta tarde => this afternoon
    esta noche => this evening
    (?:de|por) la tarde => in the afternoon
    (?:de|por|en) la noche => in the evening
    lunes => monday
    martes => tuesday
    miercoles => wednesday
    jueves => thursday
    viernes => friday
    sabado => saturday
    domingo => sunday
    dentro de|en => in
    menos => minus
    coma => .
    (?:la )?mitad|medio => half
    (?:1 )?quarter de vuelta => 90 degrees
    media vuelta => 180 degrees
    vuelta (?:entera|completa) => 360 degrees
    centimetros?|cm => cm
    milimetros?|mm => mm
    metros? => meters
    """
)
_GERMAN = _rules(
    r"""
    (?:einer |eine |ne |1 )?halben? stunde => 30 minutes
    (?:einer |eine |ne |1 )?(?:viertelstunde|viertel stunde) => 15 minutes
    (?:einer |eine |ne |1 )?(?:dreiviertelstunde|3 ?viertel ?stunden?|dreiviertel stunde) => 45 minutes
    (?:anderthalb|eineinhalb|1einhalb) stunden? => 90 minutes
    (?:anderthalb|eineinhalb|1einhalb) minuten? => 90 seconds
    (?:zweieinhalb|2einhalb) (stunden?|minuten?) => 2.5 \1
    (?:dreieinhalb|3einhalb) (stunden?|minuten?) => 3.5 \1
    halb (\d{1,2}) => half to \1
    viertel nach (\d{1,2}) => quarter past \1
    viertel vor (\d{1,2}) => quarter to \1
    (?:dreiviertel|3viertel) (\d{1,2}) => quarter to \1
    (\d{1,2}) nach (\d{1,2}) => \1 past \2
    (\d{1,2}) vor (\d{1,2}) => \1 to \2
    (\d{1,2}) uhr (\d{1,2}) => \1:\2
    (\d{1,2})(?::00)? uhr => at \1:00
    um (\d{1,2}) => at \1
    (\d+(?:[.,]\d+)?) ?(?:stunden?|std|h) => \1 hours
    (\d+(?:[.,]\d+)?) ?(?:minuten?|min) => \1 minutes
    (\d+) ?(?:sekunden?|sek|s) => \1 seconds
    (?:einer|eine|ne) stunde => 1 hours
    (?:einer|eine|ne) minute => 1 minutes
    (?:einer|eine|ne) sekunde => 1 seconds
    tage?n? => days
    wochen? => weeks
    (?:einmal) => 1 times
    (?:zweimal|doppelt) => 2 times
    (?:dreimal) => 3 times
    (?:viermal) => 4 times
    (?:funfmal|fuenfmal) => 5 times
    mal => times
    grad => degrees
    prozent => percent
    (?:am |zu |gegen )?mittags? => noon
    mitternacht => midnight
    ubermorgen|uebermorgen => in 2 days
    morgen (?:fruh|frueh|vormittag) => tomorrow in the morning
    morgen nachmittag => tomorrow in the afternoon
    morgen abend => tomorrow in the evening
    (?:am )?nachmittags? => in the afternoon
    heute abend|abends?|am abend => in the evening
    heute nacht|nachts => tonight
    heute morgen|heute fruh|morgens|am morgen|fruh|frueh|vormittags? => in the morning
    morgen => tomorrow
    heute => today
    montags? => monday
    dienstags? => tuesday
    mittwochs? => wednesday
    donnerstags? => thursday
    freitags? => friday
    (?:samstag|sonnabend)s? => saturday
    sonntags? => sunday
    um => at
    komma => .
    (?:die )?halfte|haelfte|halb => half
    (?:1 )?vierteldrehung => 90 degrees
    (?:1 |ein )?viertel => quarter
    halbe drehung|kehrtwende => 180 degrees
    (?:ganze|volle) (?:drehung|umdrehung) => 360 degrees
    zentimeter|cm => cm
    millimeter|mm => mm
    meter => meters
    """
)
TABLES = {"fr": _FRENCH, "es": _SPANISH, "de": _GERMAN}
