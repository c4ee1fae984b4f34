"""Numbers as they are said in English: `four one five`, `double oh`, `one ninety two dot one`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.redactor.views import Edit, View

_UNITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = [
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_DIGIT = {word: str(i) for i, word in enumerate(_UNITS)} | {"oh": "0", "nought": "0", "niner": "9"}
_TEEN = {word: str(10 + i) for i, word in enumerate(_TEENS)}
_TEN = {word: str(2 + i) for i, word in enumerate(_TENS)}
_TIMES = {"double": 2, "triple": 3, "treble": 3}
NUMBER_WORDS = (*_DIGIT, *_TEEN, *_TEN, *_TIMES)
"""Words that a said number begins or goes on with."""

_SIGNS = {"dash": "-", "hyphen": "-", "minus": "-", "dot": ".", "point": ".", "slash": "/"}
_TOKEN = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z]+)?|\+")
_GAP = re.compile(r"[\s,\-]{0,4}")
_AS_IN = re.compile(r"\s+(?:as in|like in)\s+([A-Za-z]+)")


@dataclass(frozen=True)
class _Token:
    start: int
    end: int
    word: str

    @property
    def is_number(self) -> bool:
        """A number word, or one digit (recognizers write some words as digits)."""
        known = self.word in _DIGIT or self.word in _TEEN or self.word in _TEN
        return known or (len(self.word) == 1 and self.word.isdigit())

    @property
    def is_letter(self) -> bool:
        return len(self.word) == 1 and self.word.isalpha()

    @property
    def is_part(self) -> bool:
        special = self.word in _TIMES or self.word in _SIGNS or self.word in {"hundred", "plus"}
        return self.is_number or self.is_letter or special or self.word.isdigit()


def spoken_en(view: View) -> View:
    """Return the view with number words as digits and spelled letters drawn together.

    A run of at least two parts with a number among them is rewritten, token by token, so that each
    digit still knows its word. Quantities with `thousand` and above stay as they are.
    """
    edits = [edit for run in _runs(view.text) for edit in _edits(run)]
    return view.rewrite(edits)


def _runs(text: str) -> Iterator[Sequence[_Token]]:
    run: list[_Token] = []
    for token in _tokens(text):
        joined = run and _GAP.fullmatch(text, run[-1].end, token.start)
        if token.is_part and (joined or not run):
            run.append(token)
            continue
        yield from _usable(run)
        run = [token] if token.is_part else []
    yield from _usable(run)


def _tokens(text: str) -> Iterator[_Token]:
    position = 0
    while match := _TOKEN.search(text, position):
        word = match[0].lower()
        end = match.end()
        spelled = _AS_IN.match(text, end) if len(word) == 1 else None
        if spelled and spelled[1].lower().startswith(word):
            end = spelled.end()
        yield _Token(match.start(), end, "plus" if word == "+" else word)
        position = end


def _usable(run: list[_Token]) -> Iterator[Sequence[_Token]]:
    while run and (run[-1].word in {"plus", *_SIGNS, *_TIMES} or _is_word(run[-2:-1], run[-1])):
        run.pop()
    while run and (run[0].word in {"hundred", *_SIGNS} or _is_word(run[1:2], run[0])):
        run.pop(0)
    if (len(run) > 1 and any(token.is_number and not token.word.isdigit() for token in run)) or sum(
        len(token.word) == 1 and token.word.isdigit() for token in run
    ) > 3:
        yield run


def _is_word(neighbours: Sequence[_Token], token: _Token) -> bool:
    """Tell whether `a` or `I` at an end of a run is a word: no letter is spelled beside it."""
    spelled = token.end - token.start > 1 or any(t.is_letter for t in neighbours)
    return token.word in {"a", "i"} and not spelled


def _edits(run: Sequence[_Token]) -> Iterator[Edit]:
    for i, token in enumerate(run):
        if i and run[i - 1].end < token.start:
            yield Edit(run[i - 1].end, token.start, "")
        before = run[i - 1] if i else None
        after = run[i + 1] if i + 1 < len(run) else None
        yield Edit(token.start, token.end, _digits(token.word, before, after))


def _digits(word: str, before: _Token | None, after: _Token | None) -> str:
    if word in _TIMES:  # the digit once less: its own word says it again
        return _digits(after.word, None, None) * (_TIMES[word] - 1) if after else ""
    if word == "hundred":
        return "00"
    if word in _TEN:
        followed = after is not None and _DIGIT.get(after.word, "0") != "0"
        return _TEN[word] if followed else _TEN[word] + "0"
    if word == "o" and before and after and before.is_number and after.is_number:
        word = "zero"
    plain = _DIGIT.get(word) or _TEEN.get(word) or _SIGNS.get(word) or word
    return "+" if plain == "plus" else plain
