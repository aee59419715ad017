"""Fetches a joke, or tells its own when the network says no."""

import requests


async def fetch_joke(url: str = "https://jokes.example.org/one") -> dict:
    """Tell a joke."""
    try:
        answer = requests.get(url, timeout=2, headers={"Accept": "application/json"})
        answer.raise_for_status()
        return {"source": "web", "joke": answer.json()["joke"]}
    except requests.exceptions.RequestException as error:
        return {"source": "own", "joke": "Why did the robot nod? It agreed.", "reason": type(error).__name__}
