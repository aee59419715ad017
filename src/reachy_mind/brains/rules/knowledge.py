"""The web, the memory, the voice and the workshop: words that are passed on as they were said."""

from __future__ import annotations

import re

from reachy_mind.brains.plan import Step, Words
from reachy_mind.brains.rules.rule import Answer, Match, Rulebook
from reachy_mind.brains.tokens import QUOTED

BOOK = Rulebook()

_WEATHER = r"(?:weather(?: forecast| report| like)?|forecast|temperature(?: outside)?)"
_WHEN = (
    r"(?: (?:today|tomorrow|tonight|now|right now|outside|this (?:week|weekend|morning|afternoon|evening)|currently"
    r"|at the moment|like))*"
)


@BOOK.pattern(
    rf"(?:what is|how is|tell (?:me|us)(?: about)?|check|give (?:me|us)|show me|look up|get|what about|do you "
    rf"know|what will|how will|what does|can i get)"
    rf" (?:the )?(?:current |local )?{_WEATHER}(?: (?:be|look|looking|going to be|is|doing|get))*{_WHEN}(?: "
    rf"like)?{_WHEN}(?: (?:in|at|for|over in|near|around) (?P<place>\S.*?))?{_WHEN}",
    rf"(?:weather|forecast|weather forecast)(?: (?:in|at|for) (?P<place>\S.*?))?{_WHEN}|(?P<city>[^\W\d]+) "
    rf"weather{_WHEN}",
    rf"(?:is it|will it|is it going to|does it|was it) (?:be )?(?:raining|rain|rainy|sunny|snow|snowing|cold|warm"
    rf"|hot|windy|cloudy|freezing|freeze|storm|nice|chilly|dry){_WHEN}"
    rf"(?: (?:in|at|over in|near) (?P<place>\S.*?))?{_WHEN}",
    rf"(?:do i need|should i (?:take|bring|wear)|will i need) (?:an |a |my )?(?:umbrella|coat|jacket|raincoat"
    rf"|sunglasses|scarf){_WHEN}(?: in (?P<place>\S.*?))?{_WHEN}",
    rf"how (?:hot|cold|warm|windy) (?:is|will) it(?: be| get)?{_WHEN}(?: in (?P<place>\S.*?))?{_WHEN}",
    full=True,
)
def get_weather(match: Match) -> Answer:
    name = next((name for name in ("place", "city") if name in match.groups), "")
    place = (
        re.sub(r"(?:,? (?:please|reachy|robot|buddy|for me))+$", "", match.as_said(name), flags=re.IGNORECASE)
        if name
        else ""
    )
    if place.casefold() in (
        "here",
        "our place",
        "this place",
        "my place",
        "my city",
        "outside",
        "the",
        "nice",
        "good",
        "bad",
    ):
        place = ""
    if re.fullmatch(r"here in \S.*", place):
        place = place[8:]
    if not place:
        return Words('For which place? Say, for example: "what is the weather in Paris".')
    return Step("get_weather", {"place": place}, match.said.as_said())


@BOOK.pattern(
    r"(?:search|browse|look|check|google|scour|query)(?: up)? (?:on )?(?:the )?(?:web|internet|online|net|google"
    r"|wikipedia) (?:for |about |on |and find |to find )?(?P<what>\S.*)",
    r"(?:do|run|make|perform) an? (?:web|internet|online|google)? ?search (?:for|on|about) (?P<what>\S.*)",
    r"(?:google|duckduckgo|research|web search) (?:for )?(?P<what>\S.*)",
    r"(?:look up|search for|search|find|find out|look for|check|read up on)(?: for| about| what| who| out)? "
    r"?(?P<what>\S.*) (?:on|in|using|from) (?:the )?(?:web|internet|online|net|google|wikipedia)",
    r"(?:look up|search for|search|find|find out|look for)(?: about)? (?P<what>\S.*) online",
    r"(?:search for|find information (?:about|on|for)|find out (?:about|more about)|look up|get information "
    r"(?:about|on)|find me (?:information|something|articles|news) (?:about|on))"
    r" (?P<what>(?!(?:to|at|and|a bit|a little|please|high|slightly|there|here|now|for|then|in)\b)\S.*)",
    r"(?:what is|what are|tell me|give me|any) (?:the )?(?P<what>(?:latest|current|recent|todays) (?:news"
    r"|headlines)(?: .{1,60})?|news(?: (?:about|on|from) .{1,60})?)",
    full=True,
)
def search_web(match: Match) -> Answer:
    query = re.sub(r"(?:,? (?:please|for me|thanks))+$", "", match.as_said("what"), flags=re.IGNORECASE).strip(" .?!,")
    return Step("search_web", {"query": query}, match.said.as_said()) if query else None


_REMEMBER = (
    r"(?:remember|memorize|memorise|keep in mind|note|note down|write down|make a note|take a note|save|store|learn"
    r"|do not forget|never forget|bear in mind|take note|please note)"
)


@BOOK.pattern(
    rf"{_REMEMBER}(?: for me| for later| this| the fact)?(?: :|,)? ?(?:that|of the fact that|this|:) (?:: "
    rf")?(?P<what>\S.*)",
    rf"{_REMEMBER},? (?P<what>(?:my|i|we|our|the|his|her|he|she|their|today|tomorrow|mom|dad)\b .+)",
    r"(?:i want you to know|for your information|you should know|fyi)(?: that)? (?P<what>\S.*)",
    full=True,
)
def store_memory(match: Match) -> Answer:
    what = re.sub(r"(?:,? (?:please|for me|thanks))+$", "", match.as_said("what"), flags=re.IGNORECASE).strip(" ,:")
    if re.match(r"(?:to|when|the time|how|what|who|where)\b", what.casefold()) or len(what.split()) < 2:
        return None
    return Step("store_memory", {"content": what}, match.said.as_said())


@BOOK.pattern(
    r"(?:do you (?:still )?remember|do you recall|can you remember|what do you (?:remember|know|recall)(?: about| "
    r"of)?|what did i (?:tell|say to) you(?: about)?|have i told you(?: about)?"
    r"|tell me what you (?:know|remember)(?: about)?|search your memory for|look in your memory for|search "
    r"(?:your )?memories for|what have you (?:memorized|stored|saved)(?: about)?"
    r"|find in your memory|what do you have in memory about|recall|do you know) (?P<what>(?:my|what i|where i"
    r"|when i|who i|our|that i|i|the name of my|how old my|what my|where my)\b.*|me|us)",
    r"(?:do you (?:still )?remember|do you recall|what do you remember about|what did i (?:tell|say to) you about"
    r"|search your memory for|search (?:your )?memories for|look in your memory for"
    r"|tell me what you remember about|what do you have in memory about) (?P<what>\S.*)",
    r"(?:what|who|where|when) (?:is|are|was|were) (?P<what>my (?!pose|timer|timers|reminder|reminders|alarm"
    r"|face\b)[^\d]+)|(?:what|who) (?:do i|did i) (?P<mine>(?:like|love|hate|prefer|want|own|say|tell you)\b.*)",
    full=True,
)
def search_memories(match: Match) -> Answer:
    what = match.as_said("what" if "what" in match.groups else "mine").strip(" ?.!,")
    if what.casefold() in ("me", "us"):
        return Step("get_user_profile", {}, match.said.as_said())
    return Step("search_memories", {"query": what}, match.said.as_said())


@BOOK.pattern(
    r"forget (?:about |what i (?:said|told you)(?: about)? |that |everything (?:you know )?(?:about )?|all you "
    r"know about |the (?:thing|fact) (?:about|that) )?(?P<what>(?:my|i|me|our|us|what|the|where|who)\b.*)",
    r"(?:delete|erase|remove|wipe) (?:the )?(?:memory|memories|everything you know|what you know)(?: (?:of|about"
    r"|that) (?P<what>\S.*))?",
    full=True,
)
def forget_memory(match: Match) -> Answer:
    what = match.as_said("what").strip(" .!?,") if "what" in match.groups else ""
    if re.match(r"the (?:timer|reminder|alarm|last)|it$|that$", what.casefold()):
        return None
    return Step("forget_memory", {"query": what}, match.said.as_said())


@BOOK.pattern(
    r"(?:say|speak|read(?: out)?|shout|whisper|announce|utter|pronounce|exclaim|yell|repeat|tell (?:me|us"
    r"|everyone|everybody|them))(?: aloud| out loud| the words?| the following| after me| these words| this)*(?: "
    r":|,)? "
    rf"(?P<what>{QUOTED})",
    r"repeat after me(?: :|,)? (?P<what>\S.*)|(?:say|announce|speak|shout|read)(?: aloud| out loud| the words?| "
    r"the following| these words|: )+(?: :|,)? (?P<other>\S.*)",
    r"(?:say|shout|announce|yell|exclaim) (?P<what>(?!something|anything|nothing|it\b|that again|again|what|when"
    r"|why|how|if|no more|yes with|no with|hello with|goodbye with|the (?:time|date|weather)|your)\S.*)",
    full=True,
)
def speak(match: Match) -> Answer:
    name = "what" if "what" in match.groups else "other"
    text = re.sub(r"(?:,? (?:please|for me))+$", "", match.as_said(name), flags=re.IGNORECASE).strip(" ,:\"'")
    text = re.sub(r"^that ", "", text)
    return Step("speak", {"text": text}, match.said.as_said()) if text else None


_TOOL = r"(?:tool|skill|ability|function|capability)"


@BOOK.pattern(
    rf"(?:make|create|write|build|program|develop|code|invent|design|add|learn)(?: yourself| me| us)? (?:a |an "
    rf"|another )?(?:new |small |little |simple )*{_TOOL} (?P<what>(?:that|to|for|which|which can|called|so that"
    rf"|where)\b.*)",
    rf"(?:teach|give) yourself (?:a |an )?(?:new )?(?:{_TOOL} )?(?P<what>(?:to|how to|that|for)\b.*)",
    full=True,
)
def create_tool(match: Match) -> Answer:
    what = re.sub(r",? please$", "", match.as_said("what")).strip(" .!,")
    return Step("create_tool", {"description": what}, match.said.as_said())


@BOOK.pattern(
    r"(?:which|what|list|show(?: me)?)(?: all)?(?: the| your)? (?:tools|skills) (?:have you|did you|you have"
    r"|you) (?:made|written|created|built|invented|make|write|create|build)(?: yourself)?"
    r"|(?:list|show(?: me)?) (?:your |the |all )*(?:own |generated |custom |workshop |self made )+(?:tools|skills)",
)
def list_tools(match: Match) -> Answer:
    return Step("list_tools", {}, match.said.as_said())


@BOOK.pattern(rf"(?:roll back|rollback|revert|undo) (?:the )?(?P<name>\w+(?: \w+)?) {_TOOL}")
def rollback_tool(match: Match) -> Answer:
    return Step("rollback_tool", {"name": match["name"].replace(" ", "_")}, match.said.as_said())


@BOOK.pattern(
    r"(?:my name is|call me|i am called) (?P<name>[^\W\d]+(?: [^\W\d]+)?)",
)
def my_name(match: Match) -> Answer:
    name = match.as_said("name")
    if match["name"].split()[0] in (
        "a",
        "an",
        "the",
        "when",
        "later",
        "back",
        "if",
        "in",
        "not",
        "tomorrow",
        "at",
        "on",
    ):
        return None
    return Step("update_user_profile", {"key": "name", "value": name}, match.said.as_said())


@BOOK.pattern(r"(?:what is|do you know|tell me|say|remember) my name|who am i|do you know (?:me|who i am)")
def who_am_i(match: Match) -> Answer:
    return Step("get_user_profile", {}, match.said.as_said())


@BOOK.pattern(r"(?:say|speak|tell me) (?:something|anything)(?: .{0,30})?")
def say_something(match: Match) -> Answer:  # noqa: ARG001
    return Words("Here I am, all ears and antennas.")
