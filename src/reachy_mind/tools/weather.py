"""Weather forecasts from Open-Meteo: one request finds the place, another its forecast. No key is needed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from typing import Any

from reachy_mind.config.settings import WebSettings
from reachy_mind.errors import BadAnswer, InvalidParameter, NotReady
from reachy_mind.tools.http_request import HttpResponse, clean, fetch

DAYS = 3
_CURRENT = "temperature_2m,apparent_temperature,relative_humidity_2m,weather_code,wind_speed_10m"
_DAILY = "weather_code,temperature_2m_max,temperature_2m_min,precipitation_probability_max"

# The weather codes of the World Meteorological Organization that Open-Meteo uses.
SKIES = {
    0: "clear",
    1: "mostly clear",
    2: "partly cloudy",
    3: "overcast",
    45: "fog",
    48: "freezing fog",
    51: "light drizzle",
    53: "drizzle",
    55: "heavy drizzle",
    56: "light freezing drizzle",
    57: "freezing drizzle",
    61: "light rain",
    63: "rain",
    65: "heavy rain",
    66: "light freezing rain",
    67: "freezing rain",
    71: "light snow",
    73: "snow",
    75: "heavy snow",
    77: "snow grains",
    80: "light showers",
    81: "showers",
    82: "violent showers",
    85: "light snow showers",
    86: "heavy snow showers",
    95: "thunderstorm",
    96: "thunderstorm with light hail",
    99: "thunderstorm with hail",
}


@dataclass(frozen=True)
class WeatherPlace:
    name: str
    """With its region and country: there are many Springfields."""
    latitude: float
    longitude: float


async def find_place(settings: WebSettings, words: str) -> WeatherPlace:
    """Raises InvalidParameter for an unknown place, and what `fetch` raises."""
    # The service searches by name only; of several towns called Paris we choose the one in "Texas".
    name, _, region = (part.strip() for part in words.partition(","))
    answer = await fetch(
        settings.geocoding_url, params={"name": name, "count": "10", "language": "en", "format": "json"}
    )
    results = _checked(answer).get("results")  # left out when there are none
    places = [entry for entry in results if isinstance(entry, dict)] if isinstance(results, list) else []
    if not places:
        raise InvalidParameter(f"no place called {words[:60]!r} was found", hint="the name of a town, such as Bordeaux")
    entry = next((entry for entry in places if region and _is_in(entry, region)), places[0])
    parts = [clean(entry.get(part), 80) for part in ("name", "admin1", "country")]
    named = ", ".join(part for number, part in enumerate(parts) if part and part not in parts[:number])
    return WeatherPlace(named, _number(answer, entry, "latitude"), _number(answer, entry, "longitude"))


def _is_in(entry: dict[str, Any], region: str) -> bool:
    names = [entry.get(part) for part in ("country", "country_code", "admin1", "admin2")]
    wanted = [part.strip().casefold() for part in region.split(",")]
    return any(isinstance(name, str) and name.casefold() in wanted for name in names)


async def forecast(settings: WebSettings, place: WeatherPlace) -> dict[str, Any]:
    """The weather now and for three days, in °C, km/h and percent. Raises what `fetch` raises, and BadAnswer."""
    answer = await fetch(
        settings.forecast_url,
        params={
            "latitude": f"{place.latitude:.4f}",
            "longitude": f"{place.longitude:.4f}",
            "current": _CURRENT,
            "daily": _DAILY,
            "timezone": "auto",
            "forecast_days": str(DAYS),
        },
    )
    found = _checked(answer)
    current, daily = found.get("current"), found.get("daily")
    if not isinstance(current, dict) or not isinstance(daily, dict) or not isinstance(daily.get("time"), list):
        raise BadAnswer(f"{answer.host} sent no forecast", hint="try again later")
    now = {
        "sky": _sky(current.get("weather_code")),
        "temperature_c": _number(answer, current, "temperature_2m"),
        "feels_like_c": _number(answer, current, "apparent_temperature"),
        "humidity_percent": _number(answer, current, "relative_humidity_2m"),
        "wind_kmh": _number(answer, current, "wind_speed_10m"),
    }
    days = [_day(answer, daily, index) for index in range(min(len(daily["time"]), DAYS))]
    return {"now": now, "days": days}


def _day(answer: HttpResponse, daily: dict[str, Any], index: int) -> dict[str, Any]:
    def at(name: str) -> Any:
        values = daily.get(name)
        return values[index] if isinstance(values, list) and index < len(values) else None

    try:
        day = date.fromisoformat(str(at("time")))
    except ValueError:
        raise BadAnswer(f"{answer.host} sent a forecast without dates", hint="try again later") from None
    rain = at("precipitation_probability_max")  # not known everywhere
    return {
        "date": day.isoformat(),
        "weekday": f"{day:%A}",
        "sky": _sky(at("weather_code")),
        "low_c": _number(answer, {"low": at("temperature_2m_min")}, "low"),
        "high_c": _number(answer, {"high": at("temperature_2m_max")}, "high"),
        "rain_percent": rain if isinstance(rain, int | float) else None,
    }


def sentence(place: WeatherPlace, weather: dict[str, Any]) -> str:
    """The forecast as a spoken sentence."""
    now, days = weather["now"], weather["days"]
    said = f"In {place.name} it is {now['temperature_c']:.0f} °C and {now['sky']}"
    if abs(now["feels_like_c"] - now["temperature_c"]) >= 2:
        said += f" (feels like {now['feels_like_c']:.0f})"
    said += f", wind {now['wind_kmh']:.0f} km/h."
    for name, day in zip(("Today", "Tomorrow"), days, strict=False):
        rain = f", chance of rain {day['rain_percent']:.0f} %" if day["rain_percent"] is not None else ""
        said += f" {name} {day['low_c']:.0f} to {day['high_c']:.0f} °C, {day['sky']}{rain}."
    return said


def _checked(answer: HttpResponse) -> dict[str, Any]:
    if answer.status == 429:
        raise NotReady("the weather service was asked too often", hint="wait a minute")
    if answer.status != 200:
        reason = clean(answer.json().get("reason"), 150) if answer.status == 400 else ""
        said = f"{answer.host} answered with an error ({answer.status}){': ' if reason else ''}{reason}"
        raise BadAnswer(said, hint="try again later")
    return answer.json()


def _number(answer: HttpResponse, values: dict[str, Any], name: str) -> float:
    value = values.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise BadAnswer(f"{answer.host} sent no {name.replace('_', ' ')}", hint="try again later")
    return float(value)


def _sky(code: object) -> str:
    return SKIES.get(code, "unknown weather") if isinstance(code, int) else "unknown weather"
