"""Who has broken off, by the words."""

from __future__ import annotations

import pytest

from reachy_mind.speech.unfinished import unfinished


@pytest.mark.parametrize(
    "text",
    [
        "Could you",
        "Could you please?",
        "Please, could you",
        "I would like to",
        "I'd like you to",
        "I want",
        "Tell me.",
        "Show me your",
        "Remind me.",
        "Remember that my",
        "Please, uh",
        "Set a timer for",
        "What is the weather like in?",
        "Make a",
        "Do you know",
        "Tilt your head.",
        "Turn it,",
    ],
)
def test_these_go_on(text):
    assert unfinished(text)


@pytest.mark.parametrize(
    "text",
    [
        "Tell me what time it is.",
        "Where are you from?",
        "What are you looking at?",
        "Why?",
        "How are you?",
        "How old are you?",
        "Tell me a joke.",
        "Help me.",
        "Say hello.",
        "What do you see?",
        "I am fine.",
        "Remember that my cat is called Simba.",
        "Turn your head to the left.",
        "",
    ],
)
def test_these_are_all(text):
    assert not unfinished(text)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fr", "Peux-tu"),
        ("fr", "Tourne la tête vers la"),
        ("es", "Me gustaría"),
        ("es", "Pon un temporizador de"),
        ("de", "Kannst du bitte"),
        ("de", "Dreh den Kopf nach links und"),
        ("it", "Vorrei"),
        ("it", "Imposta un timer di"),
        ("de", "Ähm"),
    ],
)
def test_other_languages_break_off_too(language, text):
    assert unfinished(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Wer bist du?"),
        ("de", "Wie spät ist es?"),
        ("fr", "Qui es-tu ?"),
        ("fr", "Quelle heure est-il ?"),
        ("es", "¿Qué hora es tarde?"),
        ("it", "Che ore sono?"),
    ],
)
def test_a_word_that_ends_no_sentence_in_one_language_may_in_another(language, text):
    assert not unfinished(text, language)
