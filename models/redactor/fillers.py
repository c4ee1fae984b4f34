"""What is said between two parts of a number and is none of it: `uh`, `はい`, `no, sorry`."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from models.redactor.lexicon import filler_words
from models.redactor.spoken_cjk import DIGIT_WORDS
from models.redactor.spoken_en import NUMBER_WORDS
from models.redactor.views import Edit

_MARKS = r"[\s,.;!?、。·・~ー-]*+"
_LABEL = rf"(?<=\n)[^\W\d][\w ]{{0,19}}:{_MARKS}"
"""Who speaks, at the beginning of a line."""


def fillers(text: str, language: str) -> Iterator[Edit]:
    """Yield the edits that take fillers, acknowledgements and corrections out of numbers.

    What was taken back stays: it was said, so it has to go with the rest.

    Args:
        text: a normalized text.
        language: whose words are known; English ones are known in every language.
    """
    for match in _between(language).finditer(text):
        yield Edit(*match.span("gap"), " ")


@cache
def _between(language: str) -> re.Pattern[str]:
    english = rf"(?<![a-z])(?:{_any(filler_words('en'))})(?![a-z'])"
    own = () if language == "en" else filler_words(language)
    filler = "|".join([english, *([_any(own)] if own else [])])
    words = rf"(?<![a-z])(?:{_any(NUMBER_WORDS)})(?![a-z])"
    number = rf"(?:[0-9]|{words}|{_any(DIGIT_WORDS)})"
    return re.compile(
        rf"{number}[のノで]?(?P<gap>{_MARKS}(?:{_LABEL})?+(?:(?:{filler}){_MARKS}(?:{_LABEL})?+)++)"
        rf"(?=\+?{number})",
        re.IGNORECASE,
    )


def _any(words: Sequence[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))
