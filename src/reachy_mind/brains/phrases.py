"""What people put before, behind and between what they want: politeness, names, frames of a request, joints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class Phrases:
    """Phrases looked up at a place in a sentence, the longest first."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        self._by_last: dict[str, list[tuple[str, ...]]] = {}
        for phrase in sorted({tuple(phrase.split()) for phrase in phrases}, key=lambda words: (-len(words), words)):
            self._by_first.setdefault(phrase[0], []).append(phrase)
            self._by_last.setdefault(phrase[-1], []).append(phrase)

    def at(self, words: Sequence[str], place: int) -> int:
        """How many words from `place` on are one of the phrases; 0: none."""
        if place >= len(words):
            return 0
        for phrase in self._by_first.get(words[place], ()):
            if tuple(words[place : place + len(phrase)]) == phrase:
                return len(phrase)
        return 0

    def ending(self, words: Sequence[str], end: int) -> int:
        """How many words before `end` are one of the phrases."""
        for phrase in self._by_last.get(words[end - 1], ()) if end else ():
            if len(phrase) <= end and tuple(words[end - len(phrase) : end]) == phrase:
                return len(phrase)
        return 0


def spaced(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


def lines(text: str) -> list[str]:
    return [phrase.strip() for line in text.split("\n") for phrase in line.split("|") if phrase.strip()]


NAMES = Phrases(
    lines("reachy|reachy mini|mini|robot|little robot|buddy|friend|my friend|mate|dude|little one|dear|pal|sweetie|bot")
)

FILLERS = Phrases(
    lines(
        """um|uh|er|erm|hmm|hm|ah|oh|well|so|ok|okay|alright|all right|hey|hey there|yo|hi|hi there|hello
        hello there|ok so
        now|now then|right then|please|kindly|just|maybe|perhaps|actually|basically|you know|i mean|quick question
        for now
        come on|never mind|nevermind|go ahead|thanks|thank you|thank you very much
        first|first of all|firstly|second|secondly|third|thirdly|next|then|and|but|also|plus|finally|lastly|last|at last
        after that|afterwards|afterward|after this|and after that|following that|to start|to start with
        to begin with|to finish
        in the end|at the end|once you are done|when you are done|when you are finished|once that is done
        when that is done
        after you are done|this time|in addition|additionally|subsequently|immediately|straight away|by the way|yes
        yeah|yep
        sure|of course|if you do not mind|if you can|if you could|if possible|when you can|when you get a chance
        if you please
        sorry|excuse me|pardon me|still|good morning|good evening|good afternoon|good day
        step 1|step 2|step 3|simply|attention|everyone|dear"""
    )
)

FRAMES = Phrases(
    lines(
        """can you|could you|would you|will you|can you please|would you please|could you maybe|might you|may you
        are you able to please|would you be able to|would you be so kind as to|would you be so kind and|would you kindly
        i want you to|i need you to|i would like you to|i would love you to|i would love for you to|i want to see you
        i would like to see you|i would love to see you|i wish you would|i would prefer you to|i am asking you to
        i ask you to
        i would be happy if you could|i would appreciate it if you could|i would appreciate it if you would|i beg you to
        i was wondering if you could|i wonder if you could|i was hoping you could|i think you should
        do you think you could|do you think you can|do you mind if i ask you to|any chance you could|any chance you can
        is it possible for you to|is it ok for you to|may i ask you to|can i ask you to|could i ask you to
        i order you to
        let me see you|let us see you|let me watch you|let us all|shall we|would it be possible to
        is it possible to|let us|we want you to|we would like you to
        we would like to see you|we want to see you|we need you to|show me you can|show us you can|show me that you can
        show me how you|show us how you|why do not you|why not|how about you
        go ahead and|go on and|go and|try to|try and|please try to|do me a favor and|do me a favor|do us a favor and
        be so kind as to|be so kind and|be a dear and|be kind enough to|be good and|be nice and|feel free to
        make sure to
        make sure you|be sure to|it is time to|it is time for you to|time to|you should|you may|you can|you could
        you must
        you have to|you need to|you ought to|you may now|you can now|you better|you had better|your task is to
        your job is to|i command you to|i need your help to|help me and|do not forget to|do not hesitate to|please do
        i dare you to|get ready to|prepare to|remember to please|proceed to|start to|begin to|continue to
        i say|i said|i meant|i told you to|the next thing is to|all you have to do is|use your head to|use your body to
        could you possibly|can you maybe|can you just|could you just|will you please|would you just|can you quickly
        can i see you|may i see you|could i see you|have a go and|allow yourself to|i would say|do please
        you are going to
        kindly|i want you to please|let the robot|make the robot|have the robot|tell the robot to|make it
        make yourself"""
    )
)
"""What makes a request of the verb that follows."""

GERUND_FRAMES = Phrases(
    lines(
        """would you mind|do you mind|how about|what about|i feel like seeing you|i would not mind you|keep|keep on
        start|begin
        continue|go on|start by|begin by|finish by|end by|i want to see some|try|let us try
        i would like to see some|after|consider|fancy|can you start
        could you start|can you keep|i would love to see some|carry on|resume|get"""
    )
)
"""Like FRAMES, when the verb that follows ends in -ing."""

TRAILERS = Phrases(
    lines(
        """please|now|right now|right away|immediately|at once|straight away|thanks|thank you|thank you very much
        thanks a lot
        for me|for us|for everyone|for everybody|for the camera|for my friends|for the kids|for the guests|with me
        with us
        will you|would you|could you|can you|if you can|if you could|if you would|if you please|if you do not mind
        if possible
        if you like|if you want|when you can|when you are ready|ok|okay|instead|again|too|as well|this time|then
        next|first
        one more time|1 more time|once more|for once|already|also|buddy|finally|or something|alright|all right
        though|today|there
        for a change|if that is ok|if it is not too much trouble|if you understand me|if you can hear me
        if you hear me|if you understand
        if you are listening|if you agree|if you are there|if you know what i mean|at the end|afterwards|after that
        you know|sir
        to finish|to start|to begin with|to start with|in the end|last|lastly|to end|real quick|for a second
        for a bit|for a moment
        for fun|just for fun|just for me|to the audience|in front of us|as fast as possible please"""
    )
)

_DOUBLED = frozenset(spaced("nod spin set get run put nap cut"))


def _gerund(verb: str) -> str:
    if verb in _DOUBLED:
        return verb + verb[-1] + "ing"
    return (verb[:-1] if verb.endswith("e") and len(verb) > 2 else verb) + "ing"


GERUNDS: dict[str, str] = {
    _gerund(verb): verb
    for verb in spaced(
        """
        nod look turn tilt wait rest act show go lean point play perform track follow search check say tell
        remember remind listen stretch smile laugh rock bow yawn peek glance speak twirl relax pretend
        express think wake sleep sulk frown lift lower raise dance wave shake wiggle move rotate take make
        give stare gaze swivel be do cry twist start cancel set spin get run put nap read watch describe
        find detect face shrug wag flap
        """
    )
}

HARD_JOINTS = Phrases(
    lines(
        """then|and then|, then|, and then|and after that|after that|and afterwards|afterwards|followed by|and next
        and finally
        , finally|finally|and also then|, after that|, and after that|, and finally|, next|and lastly|, lastly
        , followed by|, afterwards
        before you|before then|, before you|and once you are done|and when you are done|, once you are done
        , when you are done
        and thereafter|thereafter|and subsequently|, and lastly|, and next"""
    )
)
SOFT_JOINTS = Phrases(
    lines("and|,|, and|and also|plus|, plus|, and also|as well as|while|but|, but|&|:|and please|, please|also")
)
