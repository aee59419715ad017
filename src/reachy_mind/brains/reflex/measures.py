"""Units of measure by dimension: their size, what they are called in four languages, and how an amount is told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

_TABLE = """
length 0.001 mm | millimet(?:er|re)s?|mm | millimetres?|mm | milimetros?|mm | millimetern?|mm | millimetre/millimetres | millimètre/millimètres | milímetro/milímetros | Millimeter/Millimeter
length 0.01 cm | centimet(?:er|re)s?|cms? | centimetres?|cms? | centimetros?|cms? | zentimetern?|cm | centimetre/centimetres | centimètre/centimètres | centímetro/centímetros | Zentimeter/Zentimeter
length 1000 km | kilomet(?:er|re)s?|kms?|klicks? | kilometres?|kms? | kilometros?|kms? | kilometern?|km | kilometre/kilometres | kilomètre/kilomètres | kilómetro/kilómetros | Kilometer/Kilometer
length 1 m | met(?:er|re)s?|m | metres?|m | metros?|m | metern?|m | metre/metres | mètre/mètres | metro/metros | Meter/Meter
length 0.0254 in | inch(?:es)? | pouces? | pulgadas? | zoll | inch/inches | pouce/pouces | pulgada/pulgadas | Zoll/Zoll
length 0.3048 ft | feet|foot|ft | pieds? | pies? | fuss | foot/feet | pied/pieds | pie/pies | Fuß/Fuß
length 0.9144 yd | yards?|yds? | yards?|verges? | yardas? | yards? | yard/yards | yard/yards | yarda/yardas | Yard/Yards
length 1852 nmi | nautical miles? | milles? (?:nautiques?|marins?) | millas? nauticas? | seemeilen? | nautical mile/nautical miles | mille marin/milles marins | milla náutica/millas náuticas | Seemeile/Seemeilen
length 1609.344 mi | miles? | milles?|miles? | millas? | meilen? | mile/miles | mile/miles | milla/millas | Meile/Meilen
weight 1e-6 mg | milligrams?|mg | milligrammes?|mg | miligramos?|mg | milligramm|mg | milligram/milligrams | milligramme/milligrammes | miligramo/miligramos | Milligramm/Milligramm
weight 0.001 g | grams?|grammes?|gr?s? | grammes?|g | gramos?|gr?s? | gramm|g | gram/grams | gramme/grammes | gramo/gramos | Gramm/Gramm
weight 1 kg | kilograms?|kilos?|kgs? | kilogrammes?|kilos?|kgs? | kilogramos?|kilos?|kgs? | kilogramm|kilos?|kg | kilogram/kilograms | kilogramme/kilogrammes | kilogramo/kilogramos | Kilogramm/Kilogramm
weight 1000 t | tons?|tonnes? | tonnes? | toneladas? | tonnen? | tonne/tonnes | tonne/tonnes | tonelada/toneladas | Tonne/Tonnen
weight 0.45359237 lb | pounds?|lbs? | livres? | libras? | englische pfund | pound/pounds | livre/livres | libra/libras | englisches Pfund/englische Pfund
weight 0.5 pfund | pfunds | demi livres | medias libras | pfund | metric pound/metric pounds | demi-kilo/demi-kilos | medio kilo/medios kilos | Pfund/Pfund
weight 0.028349523 oz | ounces?|oz | onces? | onzas? | unzen? | ounce/ounces | once/onces | onza/onzas | Unze/Unzen
weight 6.35029318 st | stones? | stones? | stones? | stones? | stone/stone | stone/stones | stone/stones | Stone/Stone
volume 0.001 ml | millilit(?:er|re)s?|mls? | millilitres?|ml | mililitros?|ml | millilitern?|ml | millilitre/millilitres | millilitre/millilitres | mililitro/mililitros | Milliliter/Milliliter
volume 0.01 cl | centilit(?:er|re)s?|cl | centilitres?|cl | centilitros?|cl | zentiliter|cl | centilitre/centilitres | centilitre/centilitres | centilitro/centilitros | Zentiliter/Zentiliter
volume 0.1 dl | decilit(?:er|re)s?|dl | decilitres?|dl | decilitros?|dl | deziliter|dl | decilitre/decilitres | décilitre/décilitres | decilitro/decilitros | Deziliter/Deziliter
volume 1 l | lit(?:er|re)s?|l | litres?|l | litros?|l | litern?|l | litre/litres | litre/litres | litro/litros | Liter/Liter
volume 0.2365882365 cup | cups? | tasses? | tazas? | tassen? | US cup/US cups | tasse américaine/tasses américaines | taza estadounidense/tazas estadounidenses | US-Tasse/US-Tassen
volume 0.473176473 pint | pints? | pintes? | pintas? | pints? | US pint/US pints | pinte américaine/pintes américaines | pinta estadounidense/pintas estadounidenses | US-Pint/US-Pints
volume 0.56826125 ukpint | (?:imperial|british|uk) pints? | pintes? (?:anglaises?|imperiales?) | pintas? (?:inglesas?|imperiales?) | (?:britische|englische) pints? | imperial pint/imperial pints | pinte anglaise/pintes anglaises | pinta imperial/pintas imperiales | britisches Pint/britische Pints
volume 0.946352946 quart | quarts? | quarts americains? | cuartos de galon | quarts? | US quart/US quarts | quart américain/quarts américains | cuarto de galón/cuartos de galón | US-Quart/US-Quarts
volume 3.785411784 gal | gallons? | gallons? | galon(?:es)? | gallonen?|gallons? | US gallon/US gallons | gallon américain/gallons américains | galón estadounidense/galones estadounidenses | US-Gallone/US-Gallonen
volume 4.54609 ukgal | (?:imperial|british|uk) gallons? | gallons? (?:anglais|imperiaux|imperial) | galon(?:es)? (?:inglese?s?|imperiale?s?) | (?:britische|englische) gallonen? | imperial gallon/imperial gallons | gallon anglais/gallons anglais | galón imperial/galones imperiales | britische Gallone/britische Gallonen
volume 0.0147867648 tbsp | tablespoons?|tbsps? | cuill?er(?:e|ee)s? a soupe | cucharadas? | essloffeln?|esslofel | tablespoon/tablespoons | cuillère à soupe/cuillères à soupe | cucharada/cucharadas | Esslöffel/Esslöffel
volume 0.00492892159 tsp | teaspoons?|tsps? | cuill?er(?:e|ee)s? a (?:cafe|the) | cucharaditas? | teeloffeln? | teaspoon/teaspoons | cuillère à café/cuillères à café | cucharadita/cucharaditas | Teelöffel/Teelöffel
volume 0.0295735296 floz | fluid ounces?|fl oz | onces? liquides? | onzas? liquidas? | flussigunzen? | fluid ounce/fluid ounces | once liquide/onces liquides | onza líquida/onzas líquidas | Flüssigunze/Flüssigunzen
temperature 1 c | (?:degrees? )?(?:celsius|centigrade)|degrees? c|°c | (?:degres? )?(?:celsius|centigrades?)|°c | (?:grados? )?(?:celsius|centigrados?)|°c | (?:grad )?celsius|°c | degree Celsius/degrees Celsius | degré Celsius/degrés Celsius | grado Celsius/grados Celsius | Grad Celsius/Grad Celsius
temperature 1 f | (?:degrees? )?(?:fahrenheit|farenheit|fahrenheits)|degrees? f|°f | (?:degres? )?fahrenheit|°f | (?:grados? )?fahrenheit|°f | (?:grad )?fahrenheit|°f | degree Fahrenheit/degrees Fahrenheit | degré Fahrenheit/degrés Fahrenheit | grado Fahrenheit/grados Fahrenheit | Grad Fahrenheit/Grad Fahrenheit
temperature 1 k | kelvins? | kelvins? | kelvins? | kelvin | kelvin/kelvin | kelvin/kelvins | kelvin/kelvin | Kelvin/Kelvin
time 0.001 ms | milliseconds?|ms | millisecondes?|ms | milisegundos?|ms | millisekunden?|ms | millisecond/milliseconds | milliseconde/millisecondes | milisegundo/milisegundos | Millisekunde/Millisekunden
time 1 s | seconds?|secs? | secondes?|sec | segundos?|seg | sekunden?|sek | second/seconds | seconde/secondes | segundo/segundos | Sekunde/Sekunden
time 60 min | minutes?|mins? | minutes?|min | minutos?|min | minuten?|min | minute/minutes | minute/minutes | minuto/minutos | Minute/Minuten
time 3600 h | hours?|hrs? | heures?|h | horas?|h | stunden?|std | hour/hours | heure/heures | hora/horas | Stunde/Stunden
time 86400 d | days? | jours?|journees? | dias? | tage?n? | day/days | jour/jours | día/días | Tag/Tage
time 604800 wk | weeks? | semaines? | semanas? | wochen? | week/weeks | semaine/semaines | semana/semanas | Woche/Wochen
time 31536000 yr | years? | ans?|annees? | anos? | jahre?n? | year/years | an/ans | año/años | Jahr/Jahre
speed 0.277777778 kmh | kmh|kph|kilomet(?:er|re)s? (?:per|an) hour | kmh|kilometres?[ -](?:par |a l ?'?)?heure | kmh|kilometros? por hora | kmh|stundenkilometern?|kilometer pro stunde | kilometre per hour/kilometres per hour | kilomètre-heure/kilomètres-heure | kilómetro por hora/kilómetros por hora | Kilometer pro Stunde/Kilometer pro Stunde
speed 0.44704 mph | mph|miles? (?:per|an) hour | mph|miles? (?:par |a l ?'?)heure | mph|millas? por hora | mph|meilen pro stunde | mile per hour/miles per hour | mile à l'heure/miles à l'heure | milla por hora/millas por hora | Meile pro Stunde/Meilen pro Stunde
speed 1 mps | mps|met(?:er|re)s? (?:per|a) second | mps|metres? par seconde | mps|metros? por segundo | mps|meter pro sekunde | metre per second/metres per second | mètre par seconde/mètres par seconde | metro por segundo/metros por segundo | Meter pro Sekunde/Meter pro Sekunde
speed 0.514444444 kn | knots? | noeuds? | nudos? | knoten | knot/knots | nœud/nœuds | nudo/nudos | Knoten/Knoten
area 1 m2 | square met(?:er|re)s?|sqm | metres? carres?|sqm | metros? cuadrados?|sqm | quadratmetern?|sqm | square metre/square metres | mètre carré/mètres carrés | metro cuadrado/metros cuadrados | Quadratmeter/Quadratmeter
area 1e6 km2 | square kilomet(?:er|re)s? | kilometres? carres? | kilometros? cuadrados? | quadratkilometern? | square kilometre/square kilometres | kilomètre carré/kilomètres carrés | kilómetro cuadrado/kilómetros cuadrados | Quadratkilometer/Quadratkilometer
area 10000 ha | hectares? | hectares? | hectareas? | hektar | hectare/hectares | hectare/hectares | hectárea/hectáreas | Hektar/Hektar
area 4046.8564224 acre | acres? | acres? | acres? | acres?|morgen | acre/acres | acre/acres | acre/acres | Acre/Acres
area 0.09290304 ft2 | square (?:feet|foot) | pieds? carres? | pies? cuadrados? | quadratfuss | square foot/square feet | pied carré/pieds carrés | pie cuadrado/pies cuadrados | Quadratfuß/Quadratfuß
area 2589988.11 mi2 | square miles? | miles? carres? | millas? cuadradas? | quadratmeilen? | square mile/square miles | mile carré/miles carrés | milla cuadrada/millas cuadradas | Quadratmeile/Quadratmeilen
data 0.125 bit | bits? | bits? | bits? | bits? | bit/bits | bit/bits | bit/bits | Bit/Bit
data 1 b | bytes? | octets?|bytes? | bytes? | bytes? | byte/bytes | octet/octets | byte/bytes | Byte/Byte
data 1e3 kb | kilobytes?|kb | kilo-?octets?|ko|kb | kilobytes?|kb | kilobytes?|kb | kilobyte/kilobytes | kilo-octet/kilo-octets | kilobyte/kilobytes | Kilobyte/Kilobyte
data 1e6 mb | megabytes?|mbs?|megs? | mega-?octets?|mo|mb | megabytes?|mb|megas? | megabytes?|mb | megabyte/megabytes | mégaoctet/mégaoctets | megabyte/megabytes | Megabyte/Megabyte
data 1e9 gb | gigabytes?|gbs?|gigs? | giga-?octets?|go|gb | gigabytes?|gb|gigas? | gigabytes?|gb | gigabyte/gigabytes | gigaoctet/gigaoctets | gigabyte/gigabytes | Gigabyte/Gigabyte
data 1e12 tb | terabytes?|tbs? | tera-?octets?|to|tb | terabytes?|tb|teras? | terabytes?|tb | terabyte/terabytes | téraoctet/téraoctets | terabyte/terabytes | Terabyte/Terabyte
"""  # noqa: E501 -- a unit a line
_LANGUAGES = ("en", "fr", "es", "de")
COUNTERPARTS = {
    "mi": "km", "km": "mi", "ft": "m", "in": "cm", "cm": "in", "m": "ft", "yd": "m", "lb": "kg", "kg": "lb", "oz": "g",
    "st": "kg", "f": "c", "c": "f", "k": "c", "gal": "l", "pint": "ml", "cup": "ml", "floz": "ml", "l": "gal",
    "mph": "kmh", "kmh": "mph", "kn": "kmh", "mps": "kmh", "acre": "m2", "ha": "m2", "ft2": "m2", "mi2": "km2",
    "tbsp": "ml", "tsp": "ml", "ukpint": "ml", "ukgal": "l", "quart": "l", "nmi": "km", "pfund": "g",
}  # fmt: skip
"""What an amount is told in when nobody says in what."""
_ZERO = {"c": 273.15, "f": 459.67 * 5 / 9, "k": 0.0}
_DEGREE = {"c": 1.0, "f": 5 / 9, "k": 1.0}


@dataclass(frozen=True)
class Unit:
    """`size`: in the base unit of its dimension. `words`: patterns by language; `names`: one and many, by language."""

    id: str
    dimension: str
    size: float
    words: dict[str, str]
    names: dict[str, tuple[str, str]]

    def told(self, value: float, language: str) -> str:
        """An amount of it, in words."""
        one, many = self.names[language]
        alone = abs(value) < 2 if language == "fr" else abs(value) == 1
        number = written(value, language, decimals=1 if self.dimension == "temperature" else None)
        return f"{number} {one if alone else many}"


@cache
def units() -> dict[str, Unit]:
    """All units by id."""
    out = {}
    for line in _TABLE.strip().splitlines():
        # Words have bars too: those of a column stand without spaces around them.
        head, *columns = line.split(" | ")
        dimension, size, name = head.split()
        words = dict(zip(_LANGUAGES, columns[:4], strict=True))
        names = {
            lang: (one, many) for lang, (one, many) in zip(_LANGUAGES, (c.split("/") for c in columns[4:]), strict=True)
        }
        out[name] = Unit(name, dimension, float(size), words, names)
    return out


@cache
def mentions(language: str) -> re.Pattern[str]:
    """All units of a language, the longest words first; each is a group by the id of its unit."""
    found = [(unit.id, unit.words[language]) for unit in units().values()]
    found.sort(key=lambda one: -max(map(len, one[1].split("|"))))
    return re.compile("|".join(rf"(?P<u_{name}>(?<![^\W\d_])(?:{words})(?!\w))" for name, words in found))


def converted(value: float, source: Unit, target: Unit) -> float:
    """The same amount in another unit of the dimension."""
    if source.dimension == "temperature":
        kelvin = value * _DEGREE[source.id] + _ZERO[source.id]
        return (kelvin - _ZERO[target.id]) / _DEGREE[target.id]
    return value * source.size / target.size


def written(value: float, language: str, decimals: int | None = None) -> str:
    """A number as one would say it: whole where it is whole, else with about four digits."""
    if abs(value - round(value)) < 1e-6 * max(1.0, abs(value)) and abs(value) >= 1:
        return str(round(value))
    text = (f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}") if decimals is None else f"{value:.{decimals}f}"
    if "e" in text:
        text = f"{value:.12f}".rstrip("0")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return (text or "0").replace("-0", "0", 1 if text == "-0" else 0).replace(".", "." if language == "en" else ",")
