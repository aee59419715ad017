"""What tells a request from a question, a report and a condition."""

from __future__ import annotations

import re

from reachy_mind.brains.phrases import spaced

STARTERS = frozenset(
    spaced(
        """
        look glance peek gaze stare peer face watch turn rotate spin swivel pivot twist twirl tilt lean move
        point raise lift lower drop nod shake wave wiggle dance boogie show express be act pretend smile
        laugh cry play perform do make give rest relax wake sleep go stop pause wait hold tell say speak
        sing read search google find check set start cancel remind remember forget take snap describe listen
        follow track count bring put open close call send write draw walk jump run come stretch sneeze cough
        clap kiss hug bake help teach think try use keep let whistle hum beep blink wink fly swim get fetch
        explain translate order buy book cook clean switch sit stand bow yawn reset center what who where
        when how why which is are do does did can could would will
        """
    )
)
SUBJECTS = frozenset(
    spaced(
        """
        i he she they we it you my his her our their your this that these those people robots everyone
        somebody someone nobody yesterday there the mom dad today last some most many dancing nodding once a
        an one
        """
    )
)
CONDITIONS = re.compile(
    r"(?:if|when|whenever|unless|until|till|every time|each time|as soon as|in case|suppose|imagine|once (?:i|you"
    r"|he|she|we|they|it|the)"
    r"|after (?:i|he|she|they|we|it|the)|before (?:i|he|she|they|we|it|the)|every|tomorrow|tonight|later|provided"
    r"|assuming|only if|even if"
    r"|(?:in|after|within) \d+(?:\.\d+)? (?:seconds|minutes|hours|days)|at (?:\d{1,2}(?::\d{2})?|noon|midnight)"
    r"|on (?:monday|tuesday|wednesday"
    r"|thursday|friday|saturday|sunday)|next (?:week|time|year|month))(?: .*)?"
)
REPORTS = frozenset(
    spaced(
        """
        told said says say asked asks like likes love loves can could would should will used want wants hate
        hates know knows think thinks learn learned taught tried saw watched heard shall might may must wish
        hope believe enjoy prefer always usually often never sometimes had have has asking telling teaches
        """
    )
)
PASSED_ON = re.compile(
    r"(?P<memory>(?:remember|memorize|memorise|note|keep in mind|write down|make a note|save|store|forget|do you "
    r"(?:still )?remember"
    r"|my name)\b)|(?P<reminder>remind|set a reminder|give me a reminder|add a reminder|do not let me)"
    r"|(?P<tool>(?:create|build|write|make)"
    r"(?: \w+){0,3} (?:tool|skill)\b)|(?P<speech>(?:say|repeat after|announce|shout|read out)\b)"
    r"|(?P<search>search|google|look up (?:who|what|how|the|some|about)|find out|browse)"
)
"""Clauses with words that are passed on as they are: an "and" in them may be part of it."""
QUESTIONS = frozenset(spaced("what who where when how why which is are do does did can could would will"))
REQUESTS = STARTERS - QUESTIONS
