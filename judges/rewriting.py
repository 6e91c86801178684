"""A judge's form that is written otherwise than asked, and still leaves no doubt.

Three things are seen through, and flagged: keys in other capitals or with other signs between
their words, one wrapping such as ``{"scores": {...}}``, and closing words such as "I hope this
helps" after the object. Closing words count as such only where they are known ones, or a sentence
in English after a fenced object that has no number, no name of the form and nothing that could
take the verdict back. All else stays unread: the judge is asked again.
"""

import re
from collections.abc import Collection, Mapping

from eibench.core.types import Json, JsonDict, JsonObject

from .quoting import fold, letters, says_more

WRAPPINGS = frozenset(
    letters(name)
    for name in (
        "scores", "score", "ratings", "rating", "grades", "grade", "verdict", "verdicts",
        "evaluation", "assessment", "result", "results", "judgement", "judgment", "answer",
        "answers", "output", "response", "criteria", "comparison", "final_scores", "final_score",
        "final_verdict", "final_answer", "final_ratings", "bewertung", "bewertungen", "ergebnis",
        "urteil", "antwort", "评分", "结果", "答案",
    )
)  # fmt: skip
"""What an object may be called that holds the form alone; never a draft, or an example."""
_LONGEST = 300
_SENTENCES = re.compile(r"(?<=[.!?。！？])\s*|\n+")
_MEANT = r"(?:this|that|these|those|it|my \w+|the \w+)(?:['’]s)?"
_KNOWN = re.compile(
    r"(?:"
    rf"(?:i |we )?(?:really |do )?hope {_MEANT}.{{0,40}}"
    r"|(?:please )?(?:let me know|feel free|(?:don['’]t|do not) hesitate)\b.{0,120}"
    r"|(?:and )?if (?:you|there)\b.{0,60}"
    r"(?:let me know|feel free|just ask|please ask|hesitate).{0,60}"
    r"|(?:i['’]?m |i am |i['’]ll |i will |i would |i['’]d )?(?:be )?(?:happy|glad) to .{0,80}"
    r"|(?:is there|do you have|would you like|do you want|do you need) .{0,80}\?"
    r"|(?:many )?(?:thanks|thank you)\b.{0,60}"
    r"|(?:this|that) (?:concludes|completes|ends|is) (?:my|the) \w+"
    r"|that(?:['’]s| is) (?:all|it)"
    r"|(?:end of|done|finished)(?: \w+){0,2}"
    r"|ich hoffe,? (?:das|dies|es|die|meine)\b.{0,40}"
    r"|(?:bitte )?(?:lass(?:e|t|en sie)? (?:es )?mich|melde? dich|melden sie sich)\b.{0,80}"
    r"|(?:bei|falls|wenn) .{0,60}(?:fragen|bescheid|brauch|benötig).{0,60}"
    r"|(?:vielen )?dank\b.{0,40}"
    r"|j['’]espère que .{0,40}|n['’]hésite[zs]? pas.{0,60}"
    r"|espero que .{0,40}|spero che .{0,40}"
    r"|希望.{0,20}帮助|如.{0,20}请.{0,20}|надеюсь.{0,40}"
    r")[.!?。！？ …]*",
    re.IGNORECASE | re.DOTALL,
)
"""How a reply takes its leave."""
_TAKES_BACK = re.compile(
    r"\b(?:mean(?:t|s)?|actually|instead|however|but|though|although|rather|wait|correct(?:ion|ed)?"
    r"|wrong|mistaken?|oops|sorry|ignore|disregard|harsh|generous|high|low|higher|lower|less|eher"
    r"|aber|doch|jedoch|falsch|statt(?:dessen)?|streng|hoch|niedrig)\b"
    r"|\bmais\b|\bpero\b|\bma\b|但|不过|而是|но\b",
    re.IGNORECASE,
)
_ENGLISH = re.compile(r"\b(?:the|this|these|that|my|and|with|of)\b", re.IGNORECASE)
_DOUBTFUL = re.compile(
    r"n['’]t\b|\b(?:not?|never|none|neither|nor|cannot|unable|yet|except|unless|if|only|just|even|too"
    r"|revis\w*|chang\w*|adjust\w*|amend\w*|re-?consider\w*|re-?think\w*|reflection|thoughts?"
    r"|discard\w*|withdraw\w*|retract\w*|scratch|undo|drafts?|examples?|samples?|templates?"
    r"|placeholders?|hypothetical\w*|quot\w*|cit\w+|claim\w*|sa(?:y|ys|id)|stat(?:e|es|ed|ing)|tell\w*"
    r"|told|wr(?:ite|ites|iting|ote|itten)|texts?|ask\w*|demand\w*|request\w*|instruct\w*|inject\w*"
    r"|manipulat\w*|prompts?|users?|model|want\w*|dictat\w*|copied|copy|declin\w*|refus\w*|unsure"
    r"|uncertain\w*|doubt\w*|guess\w*|should|would|could|might|may|must|perhaps|maybe|probably"
    r"|rais\w*|reduc\w*|increas\w*|decreas\w*|more|better|worse|stricter|lenient|pretend\w*|supposed"
    r"|alternativ\w*|or|other|another|second|previous\w*|above|below|earlier|first|last|final\w*"
    r"|zero|half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|hundred"
    r"|yes|true|false|points?)\b",
    re.IGNORECASE,
)
"""Words that may take a verdict back, give another, or say that it is somebody else's."""


def as_asked(form: JsonDict, keys: Collection[str], also: Collection[str]) -> JsonDict | None:
    """A form with the keys that were asked for; ``None`` where that is not beyond doubt.

    Args:
        form: An object of a reply.
        keys: What it was asked for.
        also: Further keys that it may have, such as the one for the judge's own words.
    """
    named = _named(form, keys, also)
    if named is None or not _holds(form, keys):
        return named
    if any(key in named for key in keys):
        return named
    inner = [(name, value) for name, value in form.items() if _has_any(value, keys)]
    if len(inner) != 1 or letters(inner[0][0]) not in WRAPPINGS:
        return None
    (name, value), *_ = inner
    opened = _named(value, keys, also) if isinstance(value, dict) else None
    if opened is None or not any(key in opened for key in keys):
        return None
    return {**{n: v for n, v in named.items() if n != name}, **opened}


def _named(form: JsonObject, keys: Collection[str], also: Collection[str]) -> JsonDict | None:
    """The form with keys as they were asked for; ``None`` where two of it may be the same."""
    by_letters = {letters(key): key for key in (*also, *keys)}
    if len(by_letters) < len({*also, *keys}):
        return dict(form)
    named: JsonDict = {}
    for name, value in form.items():
        key = name if name in (*keys, *also) else by_letters.get(letters(name), name)
        if key in named and named[key] != value:
            return None
        named[key] = value
    return named


def _holds(form: JsonObject, keys: Collection[str]) -> bool:
    """Whether any of the keys stands anywhere in a form, however it is written."""
    return _has_any(dict(form), keys)


def _has_any(value: Json, keys: Collection[str]) -> bool:
    """Whether an object in a value has one of the keys, at any depth."""
    if isinstance(value, Mapping):
        spelled = {letters(key) for key in keys}
        return any(letters(n) in spelled or _has_any(v, keys) for n, v in value.items())
    return isinstance(value, list) and any(_has_any(one, keys) for one in value)


def takes_leave(text: str, names: Collection[str], *, fenced: bool = False) -> bool:
    """Whether what follows a verdict is known closing words, or nothing.

    Args:
        text: All that follows.
        names: Of what was asked: where one of them stands, more is said of it.
        fenced: The verdict stands in a fence, so that a sentence in English may follow too.
    """
    words = text.strip().strip("`*_ \n")
    if not says_more(words):
        return True
    if len(words) > _LONGEST or re.search(r"[\d{}\[\]<>`|=:]", words) or _TAKES_BACK.search(words):
        return False
    if any(name in letters(words) for name in map(letters, names) if name):
        return False
    sentences = [one.strip(" *_-–—") for one in _SENTENCES.split(words) if says_more(one)]
    unknown = [one for one in sentences if not _KNOWN.fullmatch(one)]
    if not unknown:
        return True
    if not fenced or not fold(words).isascii():
        return False
    return all(_ENGLISH.search(one) and not _DOUBTFUL.search(one) for one in unknown)
